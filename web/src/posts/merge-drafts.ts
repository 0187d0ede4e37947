/** What a person types on a post's page. */
export interface Draft {
  title: string;
  body: string;
}
export type DraftField = keyof Draft;

const draftFields = ["title", "body"] as const satisfies readonly DraftField[];

export interface MergeResult {
  draft: Draft;
  /** Fields that took what came from elsewhere. */
  acceptedFields: DraftField[];
  /** Fields that changed on both sides, to different things. */
  conflicts: DraftField[];
}

/** Brings together what is being typed and what the server has by now. `base`: what both began from. */
export function mergeDrafts(base: Draft, mine: Draft, theirs: Draft): MergeResult {
  const changedRemotely = draftFields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
  const acceptedFields = changedRemotely.filter((field) => mine[field] === base[field]);
  const conflicts = changedRemotely.filter((field) => mine[field] !== base[field]);
  const draft = { ...mine };
  for (const field of acceptedFields) draft[field] = theirs[field];
  return { draft, acceptedFields, conflicts };
}

/** What has to be sent: the fields that differ, without a title that the server would refuse. */
export function getUnsavedChanges(base: Draft, draft: Draft): Partial<Draft> {
  const fields = draftFields.filter(
    (field) => draft[field] !== base[field] && (field !== "title" || draft.title.trim() !== ""),
  );
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}
