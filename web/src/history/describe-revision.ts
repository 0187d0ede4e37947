const fieldLabels = { title: "title", body: "text", assets: "files" } as const;
const statusVerbs = {
  draft: "moved it back to draft",
  ready: "marked it ready",
  archived: "archived it",
} as const;
const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

interface RevisionChange {
  revision: number;
  changed: readonly string[];
  status: keyof typeof statusVerbs;
}

/** Completes a sentence that starts with the author: "changed the title and text, marked it ready". */
export function describeRevision(
  { revision, changed, status }: RevisionChange,
  { isFirst, isTrashed }: { isFirst: boolean; isTrashed: boolean },
): string {
  if (isFirst) return revision === 1 ? "created the post" : "saved the oldest version on record";
  const fields = (["title", "body", "assets"] as const).filter((field) => changed.includes(field));
  const actions = [
    ...(fields.length > 0 ? [`changed the ${listFormat.format(fields.map((field) => fieldLabels[field]))}`] : []),
    ...(changed.includes("status") ? [statusVerbs[status]] : []),
    ...(changed.includes("trashed") ? [isTrashed ? "moved it to the trash" : "restored it from the trash"] : []),
  ];
  return actions.length === 0 ? "saved it without changes" : actions.join(", ");
}

/** For each revision, newest first, whether the post was in the trash afterwards. It is not in the trash now. */
export function listTrashedStates(revisions: readonly Pick<RevisionChange, "changed">[]): boolean[] {
  let isTrashed = false;
  return revisions.map(({ changed }) => {
    const isTrashedAfter = isTrashed;
    if (changed.includes("trashed")) isTrashed = !isTrashed;
    return isTrashedAfter;
  });
}
