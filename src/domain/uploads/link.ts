import { hours, minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { ResolvedLink } from "./ports.ts";

/** How long files can be begun through a link. */
export const linkLifetime = minutes(30);
/** How long a file that was begun may take. */
export const fileLifetime = hours(24);

/**
 * What a link is good for at a moment:
 * - `open`: files can be begun;
 * - `closing`: its 30 minutes are over, and files that were begun in time are still on their way;
 * - `finished`: they are over, and all that was begun has arrived;
 * - `expired`: they are over, and nothing came;
 * - `withdrawn`: by someone, or because its maker left, its client was revoked, or the post was archived.
 */
export type LinkState = "open" | "closing" | "finished" | "expired" | "withdrawn";

export function getLinkState(link: ResolvedLink, now: number): LinkState {
  const isWithdrawn =
    link.withdrawnAt !== null || link.isGrantRevoked || link.creatorRole === null || link.postStatus === "archived";
  if (isWithdrawn) return "withdrawn";
  if (now < link.expiresAt) return "open";
  if (link.pendingFiles > 0) return "closing";
  return link.readyFiles > 0 ? "finished" : "expired";
}

/** Not told apart: a token that was forged, cut short, or is too old for anything. */
export const invalidLinkError = (): AppError => new AppError("forbidden:upload_link");

export const linkWithdrawnError = (): AppError => new AppError("forbidden:upload_link_withdrawn");

export const linkExpiredError = (): AppError => new AppError("upload_expired:link");

export const fileExpiredError = (): AppError => new AppError("upload_expired:file");
