import { AppError } from "#lib/errors.ts";

const keyPattern = /^[a-z0-9_-][a-z0-9_.-]*(\/[a-z0-9_-][a-z0-9_.-]*)*$/;
/** With what the disk store puts behind it, a name stays below the 255 bytes that file systems take. */
const maxLength = 150;

/** Keys are made by us. Still, nothing else than a plain name ever becomes a path or a part of an address. */
export function validateKey(key: string): string {
  if (key.length > maxLength || !keyPattern.test(key) || key.includes("..")) throw new Error("not a key of ours");
  return key;
}

export const tooLargeError = (): AppError => new AppError("too_large:put");
