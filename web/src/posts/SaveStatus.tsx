import type { EditorController } from "./use-editor.ts";

export function SaveStatus({ editor }: { editor: EditorController }) {
  return (
    <p className="m-0 min-w-0 truncate text-sm text-muted" role="status">
      {describeSaveStatus(editor)}
    </p>
  );
}

function describeSaveStatus({
  isSaving,
  isUnsaved,
  error,
  hasConflict,
  recentlyUpdatedFields,
}: EditorController): string {
  if (hasConflict) return "Not saved";
  if (error !== undefined) return "Not saved. Retrying…";
  if (isSaving) return "Saving…";
  if (isUnsaved) return "Unsaved changes";
  return recentlyUpdatedFields.length > 0 ? "Updated just now" : "Saved";
}
