/** The fields of a post that the editor saves automatically. */
export interface Draft {
  title: string;
  body: string;
}
export type DraftField = keyof Draft;

const draftFields = ["title", "body"] as const satisfies readonly DraftField[];

export interface MergeResult {
  draft: Draft;
  /** Fields that took the remote value. */
  acceptedFields: DraftField[];
  /** Fields that changed on both sides to different values. */
  conflicts: DraftField[];
}

/** Three-way merge of the local draft and the server's version; `base` is their common ancestor. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): MergeResult {
  const changedRemotely = draftFields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
  const acceptedFields = changedRemotely.filter((field) => mine[field] === base[field]);
  const conflicts = changedRemotely.filter((field) => mine[field] !== base[field]);
  const draft = { ...mine };
  for (const field of acceptedFields) draft[field] = theirs[field];
  return { draft, acceptedFields, conflicts };
}

/** The changed fields to send, without a blank title, which the server would reject. */
export function getUnsavedChanges(base: Draft, draft: Draft): Partial<Draft> {
  const fields = draftFields.filter(
    (field) => draft[field] !== base[field] && (field !== "title" || draft.title.trim() !== ""),
  );
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}
