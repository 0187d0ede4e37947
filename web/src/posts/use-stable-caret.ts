import { useEffect, useLayoutEffect, useRef, type RefObject } from "react";
import { moveCaret } from "./merge-text.ts";

/** Leaves the caret of a focused text area in its line when a merge changes the text around it. */
export function useStableCaret(value: string): RefObject<HTMLTextAreaElement | null> {
  const field = useRef<HTMLTextAreaElement>(null);
  const previous = useRef({ value, start: 0, end: 0 });

  // React replaces the value, which moves the caret, before effects run. So listeners record the position earlier.
  useEffect(() => {
    const recordSelection = (): void => {
      const element = field.current;
      if (!element || element !== document.activeElement) return;
      previous.current = { value: element.value, start: element.selectionStart, end: element.selectionEnd };
    };
    document.addEventListener("selectionchange", recordSelection);
    // In the capture phase, before React handles the event and renders.
    document.addEventListener("input", recordSelection, true);
    return () => {
      document.removeEventListener("selectionchange", recordSelection);
      document.removeEventListener("input", recordSelection, true);
    };
  }, []);

  useLayoutEffect(() => {
    const element = field.current;
    const { value: valueBefore, start, end } = previous.current;
    if (!element || element !== document.activeElement || valueBefore === value) return;
    element.setSelectionRange(moveCaret(valueBefore, value, start), moveCaret(valueBefore, value, end));
    previous.current = { value, start: element.selectionStart, end: element.selectionEnd };
  }, [value]);

  return field;
}
