import { AppError } from "#lib/errors.ts";
import type { Asset } from "./asset.ts";

/** `nonexistent`: the asset has no record. */
export type AssetState = "pending" | "attached" | "unattached" | "trashed" | "nonexistent";

type StateFields = Pick<Asset, "status" | "postId" | "trashExpiresAt">;

export function getAssetState({ status, postId, trashExpiresAt }: StateFields): AssetState {
  if (trashExpiresAt !== null) return "trashed";
  if (status === "pending") return "pending";
  return postId === null ? "unattached" : "attached";
}

/** The state machine of an asset. */
export const transitions = [
  { from: "nonexistent", by: "request upload", to: "pending" },
  { from: "nonexistent", by: "start browser upload", to: "pending" },
  { from: "nonexistent", by: "start library upload", to: "pending" },
  { from: "nonexistent", by: "upload inline", to: "unattached" },
  { from: "nonexistent", by: "import", to: "unattached" },
  { from: "nonexistent", by: "copy", to: "unattached" },
  { from: "pending", by: "attach", to: "attached" },
  { from: "pending", by: "reject content", to: "nonexistent" },
  { from: "pending", by: "complete browser upload", to: "attached" },
  { from: "pending", by: "complete library upload", to: "unattached" },
  { from: "pending", by: "delete", to: "nonexistent" },
  { from: "pending", by: "delete post", to: "trashed" },
  { from: "pending", by: "sweep", to: "nonexistent" },
  { from: "attached", by: "detach", to: "unattached" },
  { from: "unattached", by: "attach", to: "attached" },
  { from: "unattached", by: "delete", to: "trashed" },
  { from: "attached", by: "delete post", to: "trashed" },
  { from: "trashed", by: "restore", to: "unattached" },
  { from: "trashed", by: "restore post", to: "attached" },
  // If the sweeper has not deleted it yet. The upload can't continue, because its link was withdrawn.
  { from: "trashed", by: "restore post", to: "pending" },
  { from: "trashed", by: "sweep", to: "nonexistent" },
] as const satisfies readonly { from: AssetState; by: string; to: AssetState }[];

/** The error if the state of the asset does not allow the transition. */
const transitionErrors = { attach: "already_attached", detach: "not_attached", delete: "asset_in_use" } as const;

export const createTransitionError = (transition: keyof typeof transitionErrors): AppError =>
  new AppError(transitionErrors[transition]);

/** Throws if the state of the asset does not allow the transition. */
export function checkTransition(transition: keyof typeof transitionErrors, asset: StateFields): void {
  const state = getAssetState(asset);
  if (!transitions.some((row) => row.by === transition && row.from === state)) throw createTransitionError(transition);
}
