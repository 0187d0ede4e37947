import { AppError } from "#lib/errors.ts";
import type { PlatformInfo } from "./ports.ts";

/** Why a platform did not do what it was asked. */
export type PlatformErrorKind =
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

export class PlatformError extends Error {
  override readonly name = "PlatformError";
  readonly kind: PlatformErrorKind;

  constructor(kind: PlatformErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Throws the failure as an error for people and AI clients. It contains nothing that the platform wrote. */
export function throwAsAppError(
  error: unknown,
  platformInfo: PlatformInfo,
  target: "instance" | "platform" = "platform",
): never {
  if (!(error instanceof PlatformError)) throw error;
  const { name } = platformInfo;
  switch (error.kind) {
    case "denied":
      throw new AppError("connect_denied:user", { name });
    case "unknown_app":
      // At an instance we register ourselves, and the next attempt does; elsewhere the settings are wrong.
      if (!platformInfo.hasInstances)
        throw new AppError("platform_not_configured:rejected", { name, id: platformInfo.id });
      throw new AppError("connect_denied:app", { name });
    case "refused":
      throw new AppError("connect_denied:platform", { name });
    case "blocked":
      throw new AppError("url_blocked:instance", { cause: error.message });
    case "unreachable":
    default:
      throw new AppError(`url_unreachable:${target}`, { name, cause: error.message });
  }
}
