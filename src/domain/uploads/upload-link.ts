import { hours, minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { scopes, type Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
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

function getLinkState(link: ResolvedLink, now: number): LinkState {
  const isWithdrawn =
    link.withdrawnAt !== null || link.isGrantRevoked || link.creatorRole === null || link.postStatus === "archived";
  if (isWithdrawn) return "withdrawn";
  if (now < link.expiresAt) return "open";
  if (link.pendingFiles > 0) return "closing";
  return link.readyFiles > 0 ? "finished" : "expired";
}

/** Not told apart: a token that was forged, cut short, or is too old for anything. */
const invalidLinkError = (): AppError => new AppError("forbidden:upload_link");

const linkWithdrawnError = (): AppError => new AppError("forbidden:upload_link_withdrawn");

export const linkExpiredError = (): AppError => new AppError("upload_expired:link");

export const fileExpiredError = (): AppError => new AppError("upload_expired:file");

/** Whoever has the link: acts as the person who made it, on one post, and only to send files there. */
export interface UploadCaller extends Caller {
  link: ResolvedLink;
  state: Exclude<LinkState, "withdrawn">;
}

type Needs = Pick<Deps, "uploads" | "signer" | "clock">;

/** The link that a token stands for, and what it is good for now; undefined for a token that is none of ours. */
export async function findUploadLink(
  deps: Needs,
  token: string,
): Promise<{ link: ResolvedLink; state: LinkState } | undefined> {
  const linkId = deps.signer.verify("upload", token)?.["link"];
  if (typeof linkId !== "string" || !isId("uploadLink", linkId)) return undefined;
  const link = await deps.uploads.findLink(linkId);
  return link && { link, state: getLinkState(link, deps.clock()) };
}

/** Read afresh for every request: membership, role, post and client are as they are now. */
export async function resolveUploadCaller(deps: Needs, token: string): Promise<UploadCaller> {
  const match = await findUploadLink(deps, token);
  if (!match) throw invalidLinkError();
  const { link, state } = match;
  if (state === "withdrawn" || link.creatorRole === null) throw linkWithdrawnError();
  return {
    user: link.creator,
    studio: { id: link.studioId, name: link.studioName },
    role: link.creatorRole,
    scopes,
    ...(link.clientId === null ? {} : { client: { id: link.clientId, name: link.clientName ?? link.clientId } }),
    link,
    state,
  };
}
