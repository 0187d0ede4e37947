import { createButton, createElement } from "./dom.ts";

export interface DialogOptions {
  title: string;
  content: readonly Node[];
  /** Buttons before the one that closes the dialog. */
  actions?: readonly HTMLButtonElement[];
  closeLabel: string;
  onClose?: () => void;
}

/** Opens a native modal dialog, which traps focus, closes on Escape and restores focus. */
export function openDialog({ title, content, actions = [], closeLabel, onClose }: DialogOptions): HTMLDialogElement {
  const heading = createElement("h2", {
    textContent: title,
    id: "dialog-title",
    className: "[overflow-wrap:anywhere]",
  });
  const dialog = createElement(
    "dialog",
    {
      className:
        "m-auto w-[min(26rem,calc(100vw-2rem))] rounded-sm border border-rule bg-paper p-6 text-ink backdrop:bg-black/50",
      "aria-labelledby": heading.id,
    },
    heading,
    ...content,
    createElement(
      "div",
      { className: "mt-4 flex flex-wrap items-center gap-2" },
      ...actions,
      createButton(closeLabel, () => dialog.close()),
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
