import { AppError } from "#lib/errors.ts";

/** Why a platform did not do what it was asked. */
export type FailureKind =
  /** The person, or the platform for them, said no. */
  | "denied"
  /** What we showed (a code, a token) is not honoured; asking again will not help. */
  | "refused"
  /** The platform does not know us as an application any more. */
  | "unknown_app"
  /** No answer in time, or none that can be understood. */
  | "unreachable"
  /** An address inside our own network, or not https. */
  | "blocked";

export class PlatformFailure extends Error {
  override readonly name = "PlatformFailure";
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The failure as people and assistants are told it. Says nothing that the platform wrote. */
export function explainFailure(error: unknown, name: string): never {
  if (!(error instanceof PlatformFailure)) throw error;
  switch (error.kind) {
    case "denied":
      throw new AppError("connect_denied", `Access was not given at ${name}. Nothing was connected.`, tryAgain);
    case "refused":
    case "unknown_app":
      throw new AppError("connect_denied", `${name} did not accept the connection. Nothing was connected.`, tryAgain);
    case "blocked":
      throw new AppError(
        "url_blocked",
        `The address of the instance is not used: ${error.message}.`,
        "Give the https address of a public instance.",
      );
    case "unreachable":
    default:
      throw new AppError("url_unreachable", `${name} did not answer as it should: ${error.message}.`, tryAgain);
  }
}

const tryAgain = "Start again from the Platforms page of the studio.";
