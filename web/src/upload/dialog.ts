import { el } from "./dom.ts";

/** A dialog of the browser's own: focus stays in it, Escape closes it, and focus goes back where it was. */
export function openDialog(
  title: string,
  closeWord: string,
  content: readonly Node[],
  onClose: () => void = () => {},
): HTMLDialogElement {
  const close = el("button", { type: "button", className: "quiet", textContent: closeWord });
  const heading = el("h2", { textContent: title, id: "dialog-title" });
  const dialog = el(
    "dialog",
    { className: "uploader-dialog", "aria-labelledby": heading.id },
    heading,
    ...content,
    close,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
