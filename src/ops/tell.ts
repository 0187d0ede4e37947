/** The command was not understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Tells how far a long command has come. */
export type ProgressReporter = (text: string) => void;
