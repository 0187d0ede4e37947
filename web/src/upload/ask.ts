import { openDialog } from "./dialog.ts";
import { el } from "./dom.ts";
import type { Strings } from "./strings.ts";

/** Asks before what was sent of a file is thrown away. */
export function askToCancel(name: string, strings: Strings, cancel: () => void): void {
  const yes = el("button", { type: "button", className: "small", textContent: strings.throwAway });
  const dialog = openDialog(name, strings.goOn, [el("p", { textContent: strings.cancelAsk }), yes]);
  yes.addEventListener("click", () => {
    dialog.close();
    cancel();
  });
}
