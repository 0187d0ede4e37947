import { formatError } from "../api/api-error.ts";
import type { PostStatus } from "../api/queries.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useConfirmRemoval } from "./use-confirm-removal.tsx";
import type { EditorController } from "./use-editor.ts";

/** Saves a new status. For archiving, a toast offers Undo, and a dialog asks first if Undo can't restore everything. */
export function useSetStatus(editor: EditorController): (status: PostStatus) => Promise<void> {
  const showToast = useToast();
  const confirmRemoval = useConfirmRemoval();
  const { saveStatus } = editor;
  const { status: previousStatus } = editor.post;

  return (status) =>
    status === "archived" ? confirmRemoval("archive", [editor.post], () => setStatus(status)) : setStatus(status);

  async function setStatus(status: PostStatus): Promise<void> {
    try {
      await editor.save();
      await saveStatus(status);
      if (status !== "archived") return;
      const undo = (): void => void saveStatus(previousStatus).catch(showError);
      showToast({ text: "Archived.", action: { label: "Undo", run: undo } });
    } catch (error) {
      showError(error);
    }
  }

  function showError(error: unknown): void {
    showToast({ text: formatError(error) });
  }
}
