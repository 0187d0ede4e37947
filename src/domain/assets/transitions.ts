import { AppError, type ErrorCode } from "#lib/errors.ts";
import type { Asset } from "./asset.ts";

/** Where an asset is in its life. `gone` has no record. */
export type AssetState = "pending" | "on post" | "on no post" | "gone";

export function stateOf({ status, postId }: Pick<Asset, "status" | "postId">): AssetState {
  if (status === "pending") return "pending";
  return postId === null ? "on no post" : "on post";
}

/** What an asset can become, and by what. Whatever is not here does not happen. */
export const transitions = [
  { from: "gone", by: "request_asset_upload", to: "pending" },
  { from: "gone", by: "upload page starts a file", to: "pending" },
  { from: "gone", by: "upload_asset_inline", to: "on no post" },
  { from: "gone", by: "import_asset_from_url", to: "on no post" },
  { from: "pending", by: "attach_asset", to: "on post" },
  { from: "pending", by: "attach_asset refuses the bytes", to: "gone" },
  { from: "pending", by: "upload page ends a file", to: "on post" },
  { from: "pending", by: "delete_asset", to: "gone" },
  { from: "pending", by: "sweep", to: "gone" },
  { from: "on post", by: "detach_asset", to: "on no post" },
  { from: "on no post", by: "attach_asset", to: "on post" },
  { from: "on no post", by: "delete_asset", to: "gone" },
] as const satisfies readonly { from: AssetState; by: string; to: AssetState }[];

export type Transition = (typeof transitions)[number]["by"];

interface Refusal {
  code: ErrorCode;
  message: string;
  hint: string;
}

/** What is answered where a tool meets an asset that the table does not lead on from. */
const refusals: Partial<Record<Transition, Refusal>> = {
  attach_asset: {
    code: "already_attached",
    message: "The asset is on another post.",
    hint: "Take it off that post with detach_asset first.",
  },
  detach_asset: {
    code: "not_attached",
    message: "The asset is not on that post.",
    hint: "get_asset tells which post it is on, if any.",
  },
  delete_asset: {
    code: "asset_in_use",
    message: "The asset is on a post.",
    hint: "Take it off with detach_asset first.",
  },
};

export const refuse = (by: Transition): AppError => {
  const { code, message, hint } = refusals[by] ?? { code: "internal", message: `${by} cannot be done now.`, hint: "" };
  return new AppError(code, message, hint);
};

/** Throws the tool's refusal unless the table leads on from where the asset is. */
export function checkTransition(by: Transition, asset: Pick<Asset, "status" | "postId">): void {
  const state = stateOf(asset);
  if (!transitions.some((row) => row.by === by && row.from === state)) throw refuse(by);
}
