import { AppError } from "#lib/errors.ts";
import { settingsHint } from "./known-platform.ts";
import type { PlatformFacts } from "./ports.ts";

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

/** Throws the failure as an error for people and AI clients. It contains nothing that the platform wrote. */
export function explainFailure(error: unknown, facts: PlatformFacts, tryAgain = startAgain): never {
  if (!(error instanceof PlatformFailure)) throw error;
  const { name } = facts;
  switch (error.kind) {
    case "denied":
      throw new AppError("connect_denied", `Access was not given at ${name}. Nothing was connected.`, tryAgain);
    case "unknown_app":
      // At an instance we register ourselves, and the next attempt does; elsewhere the settings are wrong.
      if (!facts.perInstance)
        throw new AppError("platform_not_configured", `${name} does not know this server.`, settingsHint(facts));
      throw new AppError("connect_denied", `${name} has forgotten this server. Nothing was connected.`, tryAgain);
    case "refused":
      throw new AppError("connect_denied", `${name} did not accept the connection. Nothing was connected.`, tryAgain);
    case "blocked":
      throw new AppError(
        "url_blocked",
        `The address of the instance is not used: ${error.message}.`,
        "Give the https address of a public instance.",
      );
    case "unreachable":
    default:
      throw new AppError("url_unreachable", `Could not connect to ${name}: ${error.message}.`, tryAgain);
  }
}

const startAgain = "Start again from the Platforms page of the studio.";
