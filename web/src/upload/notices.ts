import { createButton, createElement, setVisible } from "./dom.ts";
import type { Strings } from "./strings.ts";

export const noticeClasses = "m-0 rounded-md border border-warning bg-warning-wash px-4 py-3";

/** Says that some files could not be read. Hidden at first, and again when the user closes it. */
export function createUnreadableNotice(strings: Strings, onClose: () => void): HTMLElement {
  const notice = createElement(
    "div",
    { className: `${noticeClasses} flex flex-wrap items-center justify-between gap-x-4 gap-y-2`, hidden: true },
    createElement("p", { className: "m-0", textContent: strings.unreadableFiles }),
    createButton(strings.close, () => {
      setVisible(notice, false);
      onClose();
    }),
  );
  return notice;
}
