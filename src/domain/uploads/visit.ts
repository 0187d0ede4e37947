import { isId } from "#lib/ids.ts";
import { scopes, type Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { invalidLinkError, linkWithdrawnError, getLinkState, type LinkState } from "./link.ts";
import type { ResolvedLink } from "./ports.ts";

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
