import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { platformsQuery, type Asset, type PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { statusLabels } from "../posts/status-labels.ts";
import { AssetsDiff } from "./AssetsDiff.tsx";
import { compareAssets, type PostFiles } from "./compare-assets.ts";
import { TextDiff } from "./TextDiff.tsx";

/** The parts of a post that a revision stores. */
export interface Snapshot extends PostFiles {
  title: string;
  body: string;
  status: PostStatus;
  /** Texts for single accounts. */
  variants?: readonly Variant[];
  tags?: readonly string[];
}

interface Variant {
  connectionId: string;
  body: string;
}

/** Whether two revisions, or a revision and the post now, have no differences that `RevisionDiff` shows. */
export const isSameContent = (before: Snapshot, after: Snapshot): boolean =>
  before.title === after.title &&
  before.body === after.body &&
  before.status === after.status &&
  formatTags(before) === formatTags(after) &&
  compareVariants(before.variants ?? [], after.variants ?? []).length === 0 &&
  compareAssets(before, after).length === 0;

const formatTags = ({ tags = [] }: Snapshot): string => tags.join(", ");

/** Everything that differs between two revisions, or between a revision and the post now. */
export function RevisionDiff({
  before,
  after,
  currentAssets,
}: {
  before: Snapshot;
  after: Snapshot;
  currentAssets: readonly Asset[];
}) {
  const haveAssetsChanged = compareAssets(before, after).length > 0;
  const variantChanges = compareVariants(before.variants ?? [], after.variants ?? []);
  const [tagsBefore, tagsAfter] = [formatTags(before), formatTags(after)];
  return (
    <div className="grid gap-4">
      {isSameContent(before, after) && (
        <p className="m-0 text-muted">No differences in title, text, status, tags or files.</p>
      )}
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
      {variantChanges.map((change) => (
        <VariantDiff key={change.connectionId} {...change} />
      ))}
      {before.status !== after.status && (
        <DiffPart label="Status">
          <TextDiff before={statusLabels[before.status].singular} after={statusLabels[after.status].singular} />
        </DiffPart>
      )}
      {tagsBefore !== tagsAfter && (
        <DiffPart label="Tags">
          <TextDiff before={tagsBefore} after={tagsAfter} />
        </DiffPart>
      )}
      {haveAssetsChanged && (
        <DiffPart label="Files">
          <AssetsDiff before={before} after={after} currentAssets={currentAssets} />
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

interface VariantChange {
  connectionId: string;
  /** The text for the account, before and after; empty if it had none. */
  before: string;
  after: string;
}

function compareVariants(before: readonly Variant[], after: readonly Variant[]): VariantChange[] {
  const connectionIds = new Set([...before, ...after].map(({ connectionId }) => connectionId));
  const getBody = (variants: readonly Variant[], id: string): string =>
    variants.find(({ connectionId }) => connectionId === id)?.body ?? "";
  return [...connectionIds]
    .map((id) => ({ connectionId: id, before: getBody(before, id), after: getBody(after, id) }))
    .filter((change) => change.before !== change.after);
}

function VariantDiff({ connectionId, before, after }: VariantChange) {
  const { studio } = useStudio();
  const connections = useQuery({ ...platformsQuery(studio.id), refetchInterval: false }).data?.connections ?? [];
  const account = connections.find(({ id }) => id === connectionId)?.account;
  return (
    <DiffPart label={`Text for ${account?.handle ?? account?.name ?? "an account"}`}>
      <TextDiff before={before} after={after} />
    </DiffPart>
  );
}
