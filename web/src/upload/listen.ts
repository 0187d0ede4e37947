import { filesOfDrop } from "./choose.ts";
import type { Chosen } from "./item.ts";

/** Files that are dropped anywhere on the page, or pasted outside a text field. */
export function listenForFiles(root: HTMLElement, add: (chosen: readonly Chosen[]) => void): () => void {
  const control = new AbortController();
  const { signal } = control;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  let depth = 0;
  const over = (by: number) => {
    depth = Math.max(0, depth + by);
    root.classList.toggle("over", depth > 0);
  };
  document.addEventListener("dragenter", (event) => hasFiles(event) && over(1), { signal });
  document.addEventListener("dragleave", (event) => hasFiles(event) && over(-1), { signal });
  document.addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault(), { signal });
  document.addEventListener(
    "drop",
    (event) => {
      if (!hasFiles(event) || !event.dataTransfer) return;
      event.preventDefault();
      depth = 0;
      over(0);
      void filesOfDrop(event.dataTransfer).then(add);
    },
    { signal },
  );
  document.addEventListener(
    "paste",
    (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      add(files.map((file) => ({ file })));
    },
    { signal },
  );
  return () => control.abort();
}
