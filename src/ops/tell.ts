/** The command was not understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Tells how far a long command has come. */
export type Tell = (text: string) => void;

export function inBytes(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}
