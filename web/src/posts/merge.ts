/** What a person types on a post's page. */
export interface Draft {
  title: string;
  body: string;
}
export type DraftField = keyof Draft;

const draftFields = ["title", "body"] as const satisfies readonly DraftField[];

export interface Merged {
  draft: Draft;
  /** Fields that took what came from elsewhere. */
  taken: DraftField[];
  /** Fields that changed on both sides, to different things. */
  disputed: DraftField[];
}

/** Brings together what is being typed and what the server has by now. `base`: what both began from. */
export function merge(base: Draft, mine: Draft, theirs: Draft): Merged {
  const changedThere = draftFields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
  const taken = changedThere.filter((field) => mine[field] === base[field]);
  const disputed = changedThere.filter((field) => mine[field] !== base[field]);
  const draft = { ...mine };
  for (const field of taken) draft[field] = theirs[field];
  return { draft, taken, disputed };
}

/** What has to be sent: the fields that differ, without a title that the server would refuse. */
export function unsaved(base: Draft, draft: Draft): Partial<Draft> {
  const fields = draftFields.filter(
    (field) => draft[field] !== base[field] && (field !== "title" || draft.title.trim() !== ""),
  );
  return Object.fromEntries(fields.map((field) => [field, draft[field]]));
}
