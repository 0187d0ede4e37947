import type { DraftController } from "./use-draft.ts";

/** Whether what is on the page is safe, in one or two words. */
export function SaveStatus({ keeper: controller }: { keeper: DraftController }) {
  return (
    <p className="saved" role="status">
      {describeSaveStatus(controller)}
    </p>
  );
}

function describeSaveStatus({ isSaving, isUnsaved, error, theirs, recentlyUpdated }: DraftController): string {
  if (theirs) return "Not saved: changed in two places";
  if (error !== undefined) return "Not saved. Trying again…";
  if (isSaving) return "Saving…";
  if (isUnsaved) return "Typing…";
  return recentlyUpdated.length > 0 ? "Changed elsewhere just now" : "Saved";
}
