import { openDialog } from "./dialog.ts";
import { el } from "./dom.ts";
import type { Strings } from "./strings.ts";

/** Asks before what was sent of a file is thrown away. */
export function confirmCancel(name: string, strings: Strings, onConfirm: () => void): void {
  const confirmButton = el("button", { type: "button", className: "small", textContent: strings.stopAndDiscard });
  const dialog = openDialog(name, strings.keepUploading, [
    el("p", { textContent: strings.cancelConfirmation }),
    confirmButton,
  ]);
  confirmButton.addEventListener("click", () => {
    dialog.close();
    onConfirm();
  });
}
