import { readDroppedFiles } from "./dropped-files.ts";
import type { ChosenFile } from "./upload-task.ts";

/** Files that are dropped anywhere on the page, or pasted outside a text field. */
export function listenForFiles(root: HTMLElement, onFiles: (chosen: readonly ChosenFile[]) => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  let depth = 0;
  const changeDragDepth = (delta: number) => {
    depth = Math.max(0, depth + delta);
    root.classList.toggle("over", depth > 0);
  };
  document.addEventListener("dragenter", (event) => hasFiles(event) && changeDragDepth(1), { signal });
  document.addEventListener("dragleave", (event) => hasFiles(event) && changeDragDepth(-1), { signal });
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault(), { signal });
  document.addEventListener(
    "drop",
    (event) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      depth = 0;
      changeDragDepth(0);
      void readDroppedFiles(event.dataTransfer).then(onFiles);
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
