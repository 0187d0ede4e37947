import { CircleAlert } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "./use-editor.ts";

/**
 * Takes the free space of its row. A status that doesn't fit wraps to a hidden second line, so it is never cut off; a
 * warning is always visible. Empty if there is nothing to save, because the user can't edit the post.
 */
export function SaveStatus({ editor }: { editor: EditorController }) {
  const { may } = useStudio();
  const isWarning = editor.hasConflict || editor.error !== undefined;
  return (
    <p className={isWarning ? warningClasses : statusClasses} role="status">
      {isWarning && <CircleAlert size={16} className="flex-none" aria-hidden="true" />}
      {(may("posts.write") || editor.isUnsaved || isWarning) && <StatusText editor={editor} />}
    </p>
  );
}

/** Its elements stay the same while the user types: otherwise, Chromium would undo single letters. */
function StatusText({ editor }: { editor: EditorController }) {
  const [text, detail = " "] = describeSaveStatus(editor);
  return (
    <span>
      <span>{text}</span>
      <span className="@max-4xl:sr-only">{detail}</span>
    </span>
  );
}

const statusClasses =
  "m-0 flex h-lh min-w-0 flex-1 flex-wrap overflow-hidden text-sm whitespace-nowrap text-muted before:h-lh";
const warningClasses = "m-0 flex flex-none items-center gap-1.5 text-sm text-danger";

function describeSaveStatus({
  isSaving,
  isUnsaved,
  error,
  hasConflict,
  updatedFields,
}: EditorController): [text: string, detail?: string] {
  if (hasConflict) return ["Not saved"];
  if (error !== undefined) return ["Not saved", ". Retrying…"];
  if (isSaving) return ["Saving…"];
  if (isUnsaved) return ["Unsaved", " changes"];
  return updatedFields.length > 0 ? ["Updated", " just now"] : ["Saved"];
}
