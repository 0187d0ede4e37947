/** Longer than a palette takes to load. If it never loads, the keys work as usual again. */
const maxMs = 5000;

let text = "";
let timer: ReturnType<typeof setTimeout> | undefined;

function collect(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Backspace") text = text.slice(0, -1);
  else if (event.key.length === 1) text += event.key;
  // Enter would press the button that has the focus.
  else if (event.key !== "Enter") return;
  event.preventDefault();
  event.stopPropagation();
}

/** Collects what the user types from now on, so that a field that is still loading can start with it. */
export function collectTyping(): void {
  if (timer !== undefined) return;
  text = "";
  timer = setTimeout(stopCollecting, maxMs);
  addEventListener("keydown", collect, true);
}

export function stopCollecting(): void {
  clearTimeout(timer);
  timer = undefined;
  removeEventListener("keydown", collect, true);
}

/** What the user typed between the last calls of `collectTyping` and `stopCollecting`. */
export const getTypedText = (): string => text;
