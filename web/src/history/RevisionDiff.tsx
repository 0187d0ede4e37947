import type { PostOptions } from "#portable/post-options.ts";
import { formatExtras } from "../publishing/format-extras.ts";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { selectAssets } from "#portable/select-for-account.ts";
import { platformsQuery, type Asset, type PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { statusLabels } from "../posts/status-labels.ts";
import { AssetsDiff } from "./AssetsDiff.tsx";
import { compareAssets, type PostFiles } from "./compare-assets.ts";
import { LinesDiff, TextDiff } from "./TextDiff.tsx";

/** The parts of a post that a revision stores. */
export interface Snapshot extends PostFiles {
  title: string;
  body: string;
  status: PostStatus;
  /** Texts and files of single accounts. */
  variants?: readonly Variant[];
  /** The options and follow-ups of one account, in the snapshot of what it receives. */
  extras?: string;
  tags?: readonly string[];
}

interface Variant {
  connectionId: string;
  body?: string | undefined;
  assetIds?: readonly string[] | undefined;
  options?: PostOptions | undefined;
  followUps?: readonly string[] | undefined;
}

/** Whether two revisions, or a revision and the post now, have no differences that `RevisionDiff` shows. */
export const isSameContent = (before: Snapshot, after: Snapshot): boolean =>
  before.title === after.title &&
  before.body === after.body &&
  before.status === after.status &&
  formatTags(before) === formatTags(after) &&
  compareVariants(before, after).length === 0 &&
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
  const variantChanges = compareVariants(before, after);
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
      {(before.extras ?? "") !== (after.extras ?? "") && (
        <DiffPart label={extrasLabel}>
          <TextDiff before={before.extras ?? ""} after={after.extras ?? ""} />
        </DiffPart>
      )}
      {variantChanges.map((change) => (
        <VariantDiff key={`${change.field} ${change.connectionId}`} {...change} />
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

const extrasLabel = "Options and follow-ups";

interface VariantChange {
  connectionId: string;
  field: "Text" | "Files" | typeof extrasLabel;
  /** The account's own text, or the names of its files, before and after; empty if it had no text. */
  before: string;
  after: string;
}

function compareVariants(before: Snapshot, after: Snapshot): VariantChange[] {
  const connectionIds = new Set(
    [before, after].flatMap(({ variants = [] }) => variants.map(({ connectionId }) => connectionId)),
  );
  return [...connectionIds].flatMap((connectionId): VariantChange[] => {
    const [variantBefore, variantAfter] = [findVariant(before, connectionId), findVariant(after, connectionId)];
    const texts = { before: variantBefore?.body ?? "", after: variantAfter?.body ?? "" };
    const haveFilesChanged = getChoiceKey(variantBefore) !== getChoiceKey(variantAfter);
    const files = { before: formatFiles(before, variantBefore), after: formatFiles(after, variantAfter) };
    const extras = { before: formatExtras(variantBefore ?? {}), after: formatExtras(variantAfter ?? {}) };
    return [
      ...(extras.before === extras.after ? [] : [{ connectionId, field: extrasLabel, ...extras } as const]),
      ...(texts.before === texts.after ? [] : [{ connectionId, field: "Text", ...texts } as const]),
      ...(haveFilesChanged ? [{ connectionId, field: "Files", ...files } as const] : []),
    ];
  });
}

const findVariant = ({ variants = [] }: Snapshot, id: string): Variant | undefined =>
  variants.find(({ connectionId }) => connectionId === id);

/** Compares ids, because several files can have the same name. */
const getChoiceKey = (variant: Variant | undefined): string | undefined => variant?.assetIds?.toSorted().join(" ");

function formatFiles({ assets }: Snapshot, variant: Variant | undefined): string {
  if (!variant?.assetIds) return "All files";
  const names = selectAssets(assets, variant.assetIds).map(({ filename }) => filename);
  return names.length === 0 ? "No files" : names.join("\n");
}

function VariantDiff({ connectionId, field, before, after }: VariantChange) {
  const { studio } = useStudio();
  const connections = useQuery(platformsQuery(studio.id)).data?.connections ?? [];
  const account = connections.find(({ id }) => id === connectionId)?.account;
  return (
    <DiffPart label={`${field} for ${account?.handle ?? account?.name ?? "an account"}`}>
      {field === "Files" ? <LinesDiff before={before} after={after} /> : <TextDiff before={before} after={after} />}
    </DiffPart>
  );
}
