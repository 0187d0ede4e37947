import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { EditorController } from "./use-editor.ts";

/** Takes the free space of its row. Text that doesn't fit wraps to a hidden second line, so it is never cut off. */
export function SaveStatus({ editor }: { editor: EditorController }) {
  if (editor.hasConflict || editor.error !== undefined) return <UnsavedWarning editor={editor} />;
  return (
    <p
      className="m-0 flex h-lh min-w-0 flex-1 flex-wrap overflow-hidden text-sm whitespace-nowrap text-muted before:h-lh"
      role="status"
    >
      {/* Beside an open panel on a small screen, there is room for “Saved” at most. */}
      <span className="md:@max-lg:sr-only">{describeSaveStatus(editor)}</span>
    </p>
  );
}

/** Always visible; only an icon where there is no room for the text. */
const UnsavedWarning = ({ editor }: { editor: EditorController }) => (
  <p className="m-0 flex flex-none items-center gap-1.5 text-sm text-danger" role="status">
    <CircleAlert size={16} className="flex-none" aria-hidden="true" />
    <span className="md:@max-lg:sr-only">{describeSaveStatus(editor)}</span>
  </p>
);

function describeSaveStatus({
  isSaving,
  isUnsaved,
  error,
  hasConflict,
  recentlyUpdatedFields,
}: EditorController): ReactNode {
  if (hasConflict) return "Not saved";
  if (error !== undefined) return shorten("Not saved", ". Retrying…");
  if (isSaving) return "Saving…";
  if (isUnsaved) return shorten("Unsaved", " changes");
  return recentlyUpdatedFields.length > 0 ? shorten("Updated", " just now") : "Saved";
}

const shorten = (text: string, detail: string): ReactNode => (
  <>
    {text}
    <span className="@max-4xl:sr-only">{detail}</span>
  </>
);
