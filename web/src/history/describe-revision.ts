import { compareAssets, type AssetChange, type PostFiles } from "./compare-assets.ts";

const fieldLabels = { title: "title", body: "text" } as const;
const statusVerbs = {
  draft: "moved it back to draft",
  ready: "marked it ready",
  archived: "archived it",
} as const;
const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

interface RevisionChange extends PostFiles {
  revision: number;
  changed: readonly string[];
  status: keyof typeof statusVerbs;
  /** The earlier revision that this one restored. */
  restoredRevision?: number | undefined;
}

/** Completes a sentence that starts with the author: "changed the title and text, marked it ready". */
export function describeRevision(
  { revision, changed, status, restoredRevision, ...files }: RevisionChange,
  {
    previous,
    isTrashedAfter,
    isCut = false,
  }: {
    previous: PostFiles | undefined;
    isTrashedAfter: boolean;
    /** Whether earlier revisions, which are not loaded yet, may have changed more files. */
    isCut?: boolean;
  },
): string {
  if (!previous) return revision === 1 ? "created the post" : "saved the oldest revision on record";
  if (restoredRevision !== undefined) return `restored revision ${restoredRevision}`;
  const fields = (["title", "body"] as const).filter((field) => changed.includes(field));
  const actions = [
    ...(fields.length > 0 ? [`changed the ${listFormat.format(fields.map((field) => fieldLabels[field]))}`] : []),
    ...(changed.includes("variants") ? ["changed the text or files per account"] : []),
    ...(changed.includes("tags") ? ["changed the tags"] : []),
    ...(changed.includes("assets") ? [describeAssets(compareAssets(previous, files), isCut)] : []),
    ...(changed.includes("status") ? [statusVerbs[status]] : []),
    ...(changed.includes("trashed") ? [isTrashedAfter ? "moved it to the trash" : "restored it from the trash"] : []),
  ];
  return actions.length === 0 ? "saved it without changes" : actions.join(", ");
}

const assetVerbs: Record<AssetChange["kind"], string> = {
  added: "added",
  removed: "removed",
  moved: "moved",
  "alt text": "changed the alt text of",
  name: "renamed",
  crop: "changed the crop of",
};

/** Names the file if only one changed, or counts the files if all changed in the same way, and all are known. */
function describeAssets([first, ...others]: readonly AssetChange[], isCut: boolean): string {
  if (!first || others.some(({ kind }) => kind !== first.kind)) return "changed the files";
  const verb = assetVerbs[first.kind];
  if (isCut) return `${verb} files`;
  return others.length === 0 ? `${verb} ${first.asset.filename}` : `${verb} ${others.length + 1} files`;
}

/**
 * For each revision, newest first, whether the post was in the trash after it. The post is not in the trash now, and
 * each revision that changed `trashed` moved it to the trash or back.
 */
export function listTrashStates(revisions: readonly Pick<RevisionChange, "changed">[]): boolean[] {
  let isTrashed = false;
  return revisions.map(({ changed }) => {
    const isTrashedAfter = isTrashed;
    if (changed.includes("trashed")) isTrashed = !isTrashed;
    return isTrashedAfter;
  });
}
