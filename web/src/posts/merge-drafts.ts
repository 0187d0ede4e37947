import { isConflict, mergeText, type MergePart } from "./merge-text.ts";

/** The fields of a post that the editor saves automatically. */
export interface Draft {
  title: string;
  body: string;
}
export type DraftField = keyof Draft;

export const draftFields = ["title", "body"] as const satisfies readonly DraftField[];

export interface MergeResult {
  parts: Record<DraftField, MergePart[]>;
  /** Fields that received remote changes. */
  acceptedFields: DraftField[];
  /** Whether both sides changed the same part differently. */
  hasConflict: boolean;
}

/** Three-way merge of the local draft and the server's version; `base` is their common ancestor. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): MergeResult {
  const mergeField = (field: DraftField): MergePart[] => {
    if (theirs[field] === base[field] || theirs[field] === mine[field]) return [{ lines: [mine[field]] }];
    if (mine[field] === base[field]) return [{ lines: [theirs[field]] }];
    // A title is one line, so it is merged as a whole.
    return field === "title"
      ? [{ mine: [mine.title], theirs: [theirs.title] }]
      : mergeText(base.body, mine.body, theirs.body);
  };
  const parts = { title: mergeField("title"), body: mergeField("body") };
  return {
    parts,
    acceptedFields: draftFields.filter((field) => joinParts(parts[field], () => "mine") !== mine[field]),
    hasConflict: draftFields.some((field) => parts[field].some(isConflict)),
  };
}

export type Side = "mine" | "theirs";

/** The merged draft. `chooseSide` is called for each conflict; `conflictIndex` counts the conflicts of the field. */
export const joinDraft = (
  parts: Record<DraftField, readonly MergePart[]>,
  chooseSide: (field: DraftField, conflictIndex: number) => Side = () => "mine",
): Draft => ({
  title: joinParts(parts.title, (conflictIndex) => chooseSide("title", conflictIndex)),
  body: joinParts(parts.body, (conflictIndex) => chooseSide("body", conflictIndex)),
});

function joinParts(parts: readonly MergePart[], chooseSide: (conflictIndex: number) => Side): string {
  let conflictIndex = 0;
  return parts.flatMap((part) => (isConflict(part) ? part[chooseSide(conflictIndex++)] : part.lines)).join("\n");
}

/** The changed fields to send, without a blank title, which the server would reject. */
export function getUnsavedChanges(base: Draft, draft: Draft): Partial<Draft> {
  const fields = draftFields.filter(
    (field) => draft[field] !== base[field] && (field !== "title" || draft.title.trim() !== ""),
  );
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}
