/** Another caller changed the object after we read it: roll back the transaction, read again and retry. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/** For `.catch`: returns undefined on a conflict and rethrows every other error. */
export function undefinedOnConflict(error: unknown): undefined {
  if (error instanceof ConflictError) return undefined;
  throw error;
}
