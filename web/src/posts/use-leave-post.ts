import { useConfirmLeave } from "../ui/use-confirm-leave.ts";
import type { EditorController } from "./use-editor.ts";

/** How long the user waits for the save before we ask. */
const saveTimeoutMs = 5000;

const unsavedQuestion = {
  title: "Leave without saving?",
  body: "Your last edits aren’t saved. If you leave now, you may lose them.",
};

/** Saves the post before the user opens another page. Asks if that fails. */
export function useLeavePost(editor: EditorController): void {
  useConfirmLeave(editor.isUnsaved, async () => ((await saveInTime(editor)) ? undefined : unsavedQuestion));
}

async function saveInTime(editor: EditorController): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), saveTimeoutMs);
  void editor.save().then((result) => resolve(result === "saved"));
  const isSaved = await promise;
  clearTimeout(timer);
  return isSaved;
}
