import { useMemo } from "react";
import type { Asset } from "../api/queries.ts";
import { AssetImage } from "../assets/AssetImage.tsx";
import { compareAssets, type AssetChange, type RevisionAsset } from "./compare-assets.ts";
import { TextDiff } from "./TextDiff.tsx";

const kindLabels: Record<AssetChange["kind"], { text: string; classes: string }> = {
  added: { text: "Added", classes: "text-accent" },
  removed: { text: "Removed", classes: "text-danger" },
  moved: { text: "Moved", classes: "text-muted" },
  "alt text": { text: "Alt text", classes: "text-muted" },
};

/** What happened to the files of a post between two revisions. Files that it still has are shown with thumbnails. */
export function AssetsDiff({
  before,
  after,
  currentAssets,
}: {
  before: readonly RevisionAsset[];
  after: readonly RevisionAsset[];
  currentAssets: readonly Asset[];
}) {
  const changes = useMemo(() => compareAssets(before, after), [before, after]);
  return (
    <ul className="grid grid-cols-1 gap-x-6 gap-y-3 sm:grid-cols-2">
      {changes.map(({ asset, kind, before: altBefore = "", after: altAfter = "" }) => (
        <li key={`${asset.id} ${kind}`} className="grid min-w-0 grid-cols-[3.5rem_minmax(0,1fr)] items-start gap-3">
          <span className={`[&>*]:m-0 ${kind === "removed" ? "opacity-60" : ""}`}>
            <AssetImage asset={currentAssets.find(({ id }) => id === asset.id) ?? asset} />
          </span>
          <div className="min-w-0 text-sm">
            <p className={`m-0 font-semibold ${kindLabels[kind].classes}`}>{kindLabels[kind].text}</p>
            <p className="m-0 [overflow-wrap:anywhere]">{asset.filename}</p>
            {kind === "alt text" && <TextDiff before={altBefore} after={altAfter} />}
          </div>
        </li>
      ))}
    </ul>
  );
}
