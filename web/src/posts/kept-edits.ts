import { useEffect } from "react";

/** Returns the edits that were not saved when the page was left, such as for signing in again. */
export function readKeptEdits(key: string): unknown {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : JSON.parse(text);
}

/** Keeps unsaved edits on the device; `undefined` if everything is saved. */
export function useKeptEdits(key: string, edits: object | undefined): void {
  useEffect(() => {
    if (edits === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(edits));
  }, [key, edits]);
}
