import { useLayoutEffect, useRef, type ComponentProps } from "react";
import { moveCaret } from "./merge-text.ts";

/**
 * A text area that keeps the browser's undo history. React sets `defaultValue` of an element with every letter. Unless it
 * stays empty, Chromium then takes back single letters. Here, the element is written only if the text was changed
 * elsewhere, such as by a merge.
 */
export function TextArea({
  value,
  onEdit,
  ...props
}: Omit<ComponentProps<"textarea">, "ref" | "value" | "defaultValue" | "onChange"> & {
  value: string;
  onEdit: (text: string) => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isReplacing = useRef(false);
  const isMounted = useRef(false);
  useLayoutEffect(() => {
    const text = value.replaceAll(/\r\n?/g, "\n");
    if (!field.current || field.current.value === text) return;
    isReplacing.current = true;
    replaceText(field.current, text, isMounted.current);
    isReplacing.current = false;
  });
  useLayoutEffect(() => {
    isMounted.current = true;
  }, []);
  return (
    <textarea
      {...props}
      ref={field}
      defaultValue=""
      onChange={({ target }) => {
        if (!isReplacing.current) onEdit(target.value);
      }}
    />
  );
}

/** Leaves the caret of a focused field in its line. */
function replaceText(field: HTMLTextAreaElement, text: string, isUndoable: boolean): void {
  const { value, selectionStart, selectionEnd } = field;
  if (!isUndoable || field !== document.activeElement) {
    field.value = text;
    return;
  }
  const maxLength = Math.min(value.length, text.length);
  let start = 0;
  while (start < maxLength && value[start] === text[start]) start++;
  let end = 0;
  while (end < maxLength - start && value.at(-1 - end) === text.at(-1 - end)) end++;
  const insertedText = text.slice(start, text.length - end);
  field.setSelectionRange(start, value.length - end);
  // oxlint-disable-next-line typescript/no-deprecated -- no other change is part of the browser's undo history
  document.execCommand(insertedText === "" ? "delete" : "insertText", false, insertedText);
  if (field.value !== text) field.value = text;
  field.setSelectionRange(moveCaret(value, text, selectionStart), moveCaret(value, text, selectionEnd));
}
