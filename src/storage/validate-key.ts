const keyPattern = /^[a-z0-9_-][a-z0-9_.-]*(\/[a-z0-9_-][a-z0-9_.-]*)*$/;
/** With the suffix that the disk store adds, a name stays below the file system limit of 255 bytes. */
const maxLength = 150;

/** Defense in depth: the server generates all keys, but each one is checked before it becomes part of a path or URL. */
export function validateKey(key: string): string {
  if (key.length > maxLength || !keyPattern.test(key) || key.includes("..")) throw new Error("invalid storage key");
  return key;
}
