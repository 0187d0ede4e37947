import { AppError } from "#lib/errors.ts";
import type { PlatformInfo } from "./platform.ts";

export type PlatformErrorKind =
  /** The user, or the platform on their behalf, denied access. */
  | "denied"
  /** The platform rejected our code or token; a retry will not help. */
  | "rejected"
  /** The platform does not know our app. */
  | "unknown_app"
  /** No usable response: a timeout, an unexpected status or an invalid body. */
  | "unavailable"
  /** The URL leads to a private network or is not https. */
  | "blocked";

/** The message is never the platform's. It completes sentences such as “Couldn’t connect to Mastodon: …”. */
export class PlatformError extends Error {
  override readonly name = "PlatformError";
  readonly kind: PlatformErrorKind;

  constructor(kind: PlatformErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Throws an error for people and AI clients, without any text that the platform sent. */
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
      // With a platform instance, the next attempt registers the app again. Otherwise the settings are wrong.
      if (!platformInfo.hasInstances)
        throw new AppError("platform_not_configured:rejected", { name, id: platformInfo.id });
      throw new AppError("connect_denied:app", { name });
    case "rejected":
      throw new AppError("connect_denied:platform", { name });
    case "blocked":
      throw new AppError("url_blocked:instance", { cause: error.message });
    case "unavailable":
    default:
      throw new AppError(`url_unreachable:${target}`, { name, cause: error.message });
  }
}
