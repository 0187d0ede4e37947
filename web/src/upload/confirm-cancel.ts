import { openDialog } from "./dialog.ts";
import { el } from "./dom.ts";
import type { Strings } from "./strings.ts";

export function confirmCancel(name: string, strings: Strings, onConfirm: () => void): void {
  const discardButton = el("button", { type: "button", className: "small", textContent: strings.discardUpload });
  const dialog = openDialog(name, strings.keepUploading, [
    el("p", { textContent: strings.cancelConfirmation }),
    discardButton,
  ]);
  discardButton.addEventListener("click", () => {
    dialog.close();
    onConfirm();
  });
}
