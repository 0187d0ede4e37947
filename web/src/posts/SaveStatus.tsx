import type { DraftController } from "./use-draft.ts";

export function SaveStatus({ controller }: { controller: DraftController }) {
  return (
    <p className="m-0 text-[0.9rem] whitespace-nowrap text-muted" role="status">
      {describeSaveStatus(controller)}
    </p>
  );
}

function describeSaveStatus({ isSaving, isUnsaved, error, theirs, recentlyUpdated }: DraftController): string {
  if (theirs) return "Not saved";
  if (error !== undefined) return "Not saved. Retrying…";
  if (isSaving) return "Saving…";
  if (isUnsaved) return "Unsaved changes";
  return recentlyUpdated.length > 0 ? "Updated just now" : "Saved";
}
