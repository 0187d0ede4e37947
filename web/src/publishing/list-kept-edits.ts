interface Entry {
  id: string;
  action: string;
  revision: number | null;
  /** The state of the publication after this entry. */
  outcome: string | null;
}

interface KeptEdit {
  revision: number;
  /** Whether a person had approved the publication. Otherwise, it needed no approval. */
  isReviewed: boolean;
  /** The id of the first entry after the edit; undefined if there is none yet. */
  nextId: string | undefined;
}

export const approvingActions: readonly string[] = ["publication.scheduled", "publication.approved"];

/**
 * Lists the edits of an approved post that kept its approval. They have no entry in the timeline, but a later entry, or
 * the publication, has a newer revision.
 */
export function listKeptEdits({
  timeline,
  state,
  revision,
}: {
  timeline: readonly Entry[];
  state: string;
  revision: number;
}): KeptEdit[] {
  const edits: KeptEdit[] = [];
  let approval: { revision: number; isReviewed: boolean } | undefined;
  const addEdit = (newRevision: number | null, nextId: string | undefined): void => {
    if (!approval || newRevision === null || newRevision <= approval.revision) return;
    approval = { ...approval, revision: newRevision };
    edits.push({ ...approval, nextId });
  };
  for (const { id, action, revision: entryRevision, outcome } of timeline) {
    if (approvingActions.includes(action)) {
      const isReviewed = action === "publication.approved";
      approval = entryRevision === null ? undefined : { revision: entryRevision, isReviewed };
    } else if (action === "publication.returned" || outcome === "proposed") approval = undefined;
    else addEdit(entryRevision, id);
  }
  // In the other states, the revision is the one that was sent, which the entries have.
  if (state === "scheduled" || state === "missed") addEdit(revision, undefined);
  return edits;
}
