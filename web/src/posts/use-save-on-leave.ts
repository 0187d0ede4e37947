import { useConfirmLeave } from "../ui/use-confirm-leave.ts";
import type { EditorController } from "./use-editor.ts";

/** If saving takes longer, we ask the user. */
const saveTimeoutMs = 5000;

const unsavedQuestion = {
  title: "Leave without saving?",
  body: "Your last edits aren’t saved. If you leave now, you may lose them.",
};

/** Saves the post before the user opens another page. If that fails, asks whether to leave. */
export function useSaveOnLeave(editor: EditorController): void {
  useConfirmLeave(editor.isUnsaved, async () => ((await saveWithTimeout(editor)) ? undefined : unsavedQuestion));
}

/** Resolves with whether the post was saved in time. */
async function saveWithTimeout(editor: EditorController): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), saveTimeoutMs);
  void editor.save().then((result) => resolve(result === "saved"));
  const isSaved = await promise;
  clearTimeout(timer);
  return isSaved;
}
