import type { Edits } from "./post-edits.ts";

/** Returns the edits that were not saved when the page was left, such as for signing in again. */
export function readKeptEdits(key: string): Edits {
  const text = sessionStorage.getItem(key);
  return text === null ? {} : (JSON.parse(text) as Edits);
}

/** Keeps unsaved edits on the device; `undefined` if everything is saved. */
export function keepEdits(key: string, edits: Edits | undefined): void {
  if (edits === undefined) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(edits));
}
