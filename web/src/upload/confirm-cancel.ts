import { openDialog } from "./dialog.ts";
import { createButton, createElement } from "./dom.ts";
import type { Strings } from "./strings.ts";

export function confirmCancel(filename: string, strings: Strings, onConfirm: () => void): void {
  const discard = () => {
    dialog.close();
    onConfirm();
  };
  const dialog = openDialog({
    title: filename,
    content: [createElement("p", { textContent: strings.cancelConfirmation })],
    actions: [createButton(strings.discardUpload, discard, "danger")],
    closeLabel: strings.keepUploading,
  });
}
