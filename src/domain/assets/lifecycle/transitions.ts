import { AppError } from "#lib/errors.ts";
import type { Asset } from "../model/asset.ts";

/** Where an asset is in its life. `gone` has no record. */
export type AssetState = "pending" | "on post" | "on no post" | "gone";

export function getAssetState({ status, postId }: Pick<Asset, "status" | "postId">): AssetState {
  if (status === "pending") return "pending";
  return postId === null ? "on no post" : "on post";
}

/** What an asset can become, and by what. Whatever is not here does not happen. */
export const transitions = [
  { from: "gone", by: "request upload", to: "pending" },
  { from: "gone", by: "start browser upload", to: "pending" },
  { from: "gone", by: "upload inline", to: "on no post" },
  { from: "gone", by: "import", to: "on no post" },
  { from: "pending", by: "attach", to: "on post" },
  { from: "pending", by: "reject content", to: "gone" },
  { from: "pending", by: "complete browser upload", to: "on post" },
  { from: "pending", by: "delete", to: "gone" },
  { from: "pending", by: "sweep", to: "gone" },
  { from: "on post", by: "detach", to: "on no post" },
  { from: "on no post", by: "attach", to: "on post" },
  { from: "on no post", by: "delete", to: "gone" },
] as const satisfies readonly { from: AssetState; by: string; to: AssetState }[];

export type Transition = (typeof transitions)[number]["by"];

/** The error for an asset that is not in a state from which the transition leads on. */
const transitionErrors: Partial<Record<Transition, "already_attached" | "not_attached" | "asset_in_use">> = {
  attach: "already_attached",
  detach: "not_attached",
  delete: "asset_in_use",
};

export const createTransitionError = (by: keyof typeof transitionErrors): AppError => {
  const key = transitionErrors[by];
  if (key === undefined) throw new Error(`no error for the transition ${by}`);
  return new AppError(key);
};

/** Throws unless the table has this transition from the state of the asset. */
export function checkTransition(by: Transition, asset: Pick<Asset, "status" | "postId">): void {
  const state = getAssetState(asset);
  if (!transitions.some((row) => row.by === by && row.from === state)) throw createTransitionError(by);
}
