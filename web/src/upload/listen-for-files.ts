import { readDroppedFiles } from "./dropped-files.ts";
import type { ChosenFile } from "./upload-task.ts";

export const unreadableFilesText = "Some files couldn’t be read and were not added.";

/**
 * Reports files that the user drops anywhere on the page or pastes. `onUnreadable` is called if the browser can't read
 * some of them. Returns a function that stops listening.
 */
export function listenForFiles(
  root: HTMLElement,
  onFiles: (chosenFiles: readonly ChosenFile[]) => void,
  onUnreadable: () => void,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  let dragDepth = 0;
  const changeDragDepth = (delta: number) => {
    dragDepth = Math.max(0, dragDepth + delta);
    root.toggleAttribute("data-dragging", dragDepth > 0);
  };
  document.addEventListener("dragenter", (event) => hasFiles(event) && changeDragDepth(1), { signal });
  document.addEventListener("dragleave", (event) => hasFiles(event) && changeDragDepth(-1), { signal });
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault(), { signal });
  document.addEventListener(
    "drop",
    (event) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      dragDepth = 0;
      changeDragDepth(0);
      let hasUnreadableFiles = false;
      void readDroppedFiles(event.dataTransfer, () => (hasUnreadableFiles = true)).then((chosenFiles) => {
        onFiles(chosenFiles);
        if (hasUnreadableFiles) onUnreadable();
      });
    },
    { signal },
  );
  document.addEventListener(
    "paste",
    (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files.map((file) => ({ file })));
    },
    { signal },
  );
  return () => controller.abort();
}
