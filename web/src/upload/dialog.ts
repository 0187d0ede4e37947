import { el } from "./dom.ts";

/** Opens a native modal dialog, which traps focus, closes on Escape and restores focus. */
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
