import type { Post } from "../api/queries.ts";
import type { Snapshot } from "../history/RevisionDiff.tsx";
import { getTextFor } from "./use-accounts.ts";

type Version = Pick<Snapshot, "title" | "body" | "assets"> & Pick<Post, "variants">;

/** The parts of a post that an account receives. Its status and its texts for other accounts are left out. */
export function toSnapshot(
  version: Version,
  { connectionId, includesTitle }: { connectionId: string; includesTitle: boolean },
): Snapshot {
  return {
    title: includesTitle ? version.title : "",
    body: getTextFor(version, connectionId),
    status: "draft",
    assets: version.assets.filter((asset) => !("status" in asset) || asset.status === "ready"),
  };
}

export const isSameContent = (before: Snapshot, after: Snapshot): boolean =>
  describeContent(before) === describeContent(after);

const describeContent = ({ title, body, assets }: Snapshot): string =>
  JSON.stringify([title, body, assets.map(({ id, altText }) => [id, altText ?? ""])]);
