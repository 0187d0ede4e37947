/** Someone else changed what we looked at before we could: the transaction is undone and we look again. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** For `.catch`: undefined where the work was overtaken; any other failure goes on. */
export function undefinedOnConflict(error: unknown): undefined {
  if (error instanceof ConflictError) return undefined;
  throw error;
}
