/** Longer than a palette takes to load. If it never loads, the keys work as usual again. */
const maxMs = 5000;

/**
 * Collects what the user types from now on, so that a field that is still loading can start with it. The returned
 * function ends that, and returns the text when it is called for the first time.
 */
export function collectTyping(): () => string {
  let text = "";
  const collect = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Backspace") text = text.slice(0, -1);
    else if (event.key.length === 1) text += event.key;
    // Enter would press the button that has the focus.
    else if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
  };
  const stop = (): void => removeEventListener("keydown", collect, true);
  const timer = setTimeout(stop, maxMs);
  addEventListener("keydown", collect, true);
  return () => {
    clearTimeout(timer);
    stop();
    const typedText = text;
    text = "";
    return typedText;
  };
}
