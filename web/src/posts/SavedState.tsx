import type { DraftKeeper } from "./use-draft.ts";

/** Whether what is on the page is safe, in one or two words. */
export function SavedState({ keeper }: { keeper: DraftKeeper }) {
  return (
    <p className="saved" role="status">
      {wordsFor(keeper)}
    </p>
  );
}

function wordsFor({ saving, isUnsaved, error, theirs, touched }: DraftKeeper): string {
  if (theirs) return "Not saved: changed in two places";
  if (error !== undefined) return "Not saved. Trying again…";
  if (saving) return "Saving…";
  if (isUnsaved) return "Typing…";
  return touched.length > 0 ? "Changed elsewhere just now" : "Saved";
}
