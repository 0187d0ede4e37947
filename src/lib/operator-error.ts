/** What whoever runs the service can mend, in words that say what happened and what to do next. */
export class OperatorError extends Error {
  override readonly name: string = "OperatorError";
}
