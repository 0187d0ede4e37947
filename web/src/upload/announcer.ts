import { createElement } from "./dom.ts";

/** Announces changes to screen readers, in batches: of several quick changes, they would read only the last. */
export function createAnnouncer(): { element: HTMLElement; announce(text: string): void } {
  const element = createElement("div", { className: "sr-only", role: "status", "aria-live": "polite" });
  let pendingTexts: string[] = [];
  return {
    element,
    announce(text) {
      pendingTexts.push(text);
      setTimeout(() => {
        if (pendingTexts.length > 0) element.textContent = pendingTexts.join(" ");
        pendingTexts = [];
      }, 100);
    },
  };
}
