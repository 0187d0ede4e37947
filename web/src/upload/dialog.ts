import { createButton, createElement } from "./dom.ts";

export interface DialogOptions {
  title: string;
  content: readonly Node[];
  /** Buttons after the one that closes the dialog; the primary one is last. */
  actions?: readonly HTMLButtonElement[];
  closeLabel: string;
  onClose?: () => void;
}

/** Opens a native modal dialog, which traps focus, closes on Escape and restores focus. */
export function openDialog({ title, content, actions = [], closeLabel, onClose }: DialogOptions): HTMLDialogElement {
  const heading = createElement("h2", {
    textContent: title,
    id: "dialog-title",
    className: "text-xl [overflow-wrap:anywhere]",
  });
  const dialog = createElement(
    "dialog",
    {
      className:
        "m-auto w-[min(26rem,calc(100vw-2rem))] rounded-lg bg-raised p-5 text-ink shadow-overlay backdrop:bg-black/35 sm:p-6 forced-colors:border",
      "aria-labelledby": heading.id,
    },
    heading,
    ...content,
    createElement(
      "div",
      { className: "mt-6 flex flex-wrap justify-end gap-2 max-sm:flex-col-reverse max-sm:*:w-full" },
      createButton(closeLabel, () => dialog.close(), "secondary"),
      ...actions,
    ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose?.();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
