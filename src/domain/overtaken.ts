/** Someone else changed what we looked at before we could: the transaction is undone and we look again. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** For `.catch`: undefined where the work was overtaken; any other failure goes on. */
export function ifOvertaken(error: unknown): undefined {
  if (error instanceof Overtaken) return undefined;
  throw error;
}
