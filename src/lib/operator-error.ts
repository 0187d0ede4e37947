/** Why a command of the operator was not carried out, in words that say what to do next. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}
