import { selectForAccount } from "#portable/select-for-account.ts";
import type { Post } from "../api/queries.ts";
import { compareAssets } from "../history/compare-assets.ts";
import { formatExtras } from "./format-extras.ts";
import type { Snapshot } from "../history/RevisionDiff.tsx";

type PostContent = Pick<Snapshot, "title" | "body" | "assets" | "crops"> & Pick<Post, "variants">;

/**
 * Returns the content that one account receives from a post or revision, with the account's own text and files if it
 * has some. The status is always `draft`, so that a diff never shows it.
 */
export function toSnapshot(
  content: PostContent,
  { connectionId, platform, includesTitle }: { connectionId: string; platform: string; includesTitle: boolean },
): Snapshot {
  const { body, assets, ...extras } = selectForAccount(content, connectionId);
  return {
    title: includesTitle ? content.title : "",
    body,
    status: "draft",
    extras: formatExtras(extras),
    assets: assets.filter((asset) => !("status" in asset) || asset.status === "ready"),
    crops: content.crops?.filter((crop) => crop.platform === platform),
  };
}

export const isSameContent = (before: Snapshot, after: Snapshot): boolean =>
  before.title === after.title &&
  before.body === after.body &&
  before.extras === after.extras &&
  compareAssets(before, after).length === 0;
