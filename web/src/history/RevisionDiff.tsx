import type { ReactNode } from "react";
import type { Asset, PostStatus } from "../api/queries.ts";
import { statusLabels } from "../posts/status-labels.ts";
import { AssetsDiff } from "./AssetsDiff.tsx";
import type { RevisionAsset } from "./compare-assets.ts";
import { TextDiff } from "./TextDiff.tsx";

/** The parts of a post that a revision keeps. */
export interface Snapshot {
  title: string;
  body: string;
  status: PostStatus;
  assets: readonly RevisionAsset[];
}

/** Everything that differs between two versions of a post. */
export function RevisionDiff({
  before,
  after,
  currentAssets,
}: {
  before: Snapshot;
  after: Snapshot;
  currentAssets: readonly Asset[];
}) {
  const hasNewAssets = describeAssets(before.assets) !== describeAssets(after.assets);
  const hasNewText = before.title !== after.title || before.body !== after.body;
  const isSame = !hasNewText && !hasNewAssets && before.status === after.status;
  return (
    <div className="grid gap-4">
      {isSame && <p className="m-0 text-muted">No differences in title, text, status or files.</p>}
      {before.title !== after.title && (
        <DiffPart label="Title">
          <TextDiff before={before.title} after={after.title} />
        </DiffPart>
      )}
      {before.body !== after.body && (
        <DiffPart label="Text">
          <TextDiff before={before.body} after={after.body} />
        </DiffPart>
      )}
      {before.status !== after.status && (
        <DiffPart label="Status">
          <TextDiff before={statusLabels[before.status].singular} after={statusLabels[after.status].singular} />
        </DiffPart>
      )}
      {hasNewAssets && (
        <DiffPart label="Files">
          <AssetsDiff before={before.assets} after={after.assets} currentAssets={currentAssets} />
        </DiffPart>
      )}
    </div>
  );
}

function DiffPart({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="m-0 mb-1 text-sm text-muted">{label}</p>
      {children}
    </div>
  );
}

const describeAssets = (assets: readonly RevisionAsset[]): string =>
  JSON.stringify(assets.map(({ id, altText }) => [id, altText ?? ""]));
