import { el } from "./dom.ts";

/** A dialog of the browser's own: focus stays in it, Escape closes it, and focus goes back where it was. */
export function openDialog(
  title: string,
  closeLabel: string,
  content: readonly Node[],
  onClose: () => void = () => {},
): HTMLDialogElement {
  const closeButton = el("button", { type: "button", className: "quiet", textContent: closeLabel });
  const heading = el("h2", { textContent: title, id: "dialog-title" });
  const dialog = el(
    "dialog",
    { className: "uploader-dialog", "aria-labelledby": heading.id },
    heading,
    ...content,
    closeButton,
  );
  closeButton.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
