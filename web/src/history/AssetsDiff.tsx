import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { assetQuery, type Asset } from "../api/queries.ts";
import { AssetImage } from "../assets/AssetImage.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { compareAssets, type AssetChange, type PostFiles, type RevisionAsset } from "./compare-assets.ts";
import { TextDiff } from "./TextDiff.tsx";

const kindLabels: Record<AssetChange["kind"], { text: string; classes: string }> = {
  added: { text: "Added", classes: "text-accent" },
  removed: { text: "Removed", classes: "text-danger" },
  moved: { text: "Moved", classes: "text-muted" },
  "alt text": { text: "Alt text", classes: "text-muted" },
  name: { text: "Renamed", classes: "text-muted" },
  crop: { text: "Crop changed", classes: "text-muted" },
};

/** What happened to the files of a post between two revisions. */
export function AssetsDiff({
  before,
  after,
  currentAssets,
}: {
  before: PostFiles;
  after: PostFiles;
  currentAssets: readonly Asset[];
}) {
  const changes = useMemo(() => compareAssets(before, after), [before, after]);
  return (
    <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(16rem,100%),1fr))] gap-x-6 gap-y-3">
      {changes.map(({ asset, kind, before: textBefore = "", after: textAfter = "" }) => (
        <li key={`${asset.id} ${kind}`} className="grid min-w-0 grid-cols-[3.5rem_minmax(0,1fr)] items-start gap-3">
          <span className={`[&>*]:m-0 ${kind === "removed" ? "opacity-60" : ""}`}>
            <RevisionAssetImage asset={asset} currentAsset={currentAssets.find(({ id }) => id === asset.id)} />
          </span>
          <div className="min-w-0 text-sm">
            <p className={`m-0 font-semibold ${kindLabels[kind].classes}`}>{kindLabels[kind].text}</p>
            <p className="m-0 [overflow-wrap:anywhere]">{asset.filename}</p>
            {(kind === "alt text" || kind === "name") && <TextDiff before={textBefore} after={textAfter} />}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The thumbnail of a file, even if it is no longer on the post; its type if it was deleted. */
function RevisionAssetImage({ asset, currentAsset }: { asset: RevisionAsset; currentAsset: Asset | undefined }) {
  const { studio } = useStudio();
  const query = { ...assetQuery(studio.id, asset.id), enabled: !currentAsset, retry: false, staleTime: Infinity };
  const libraryAsset = useQuery(query).data;
  return <AssetImage asset={currentAsset ?? libraryAsset ?? asset} />;
}
