import { isId } from "#lib/ids.ts";
import { scopes, type Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { linkNotValid, linkWithdrawn, stateOfLink, type LinkState } from "./link.ts";
import type { VisitedLink } from "./ports.ts";

/** Whoever has the link: acts as the person who made it, on one post, and only to send files there. */
export interface UploadVisitor extends Caller {
  link: VisitedLink;
  state: Exclude<LinkState, "withdrawn">;
}

type Needs = Pick<Deps, "uploads" | "signer" | "clock">;

/** The link that a token stands for, and what it is good for now; undefined for a token that is none of ours. */
export async function findLink(
  deps: Needs,
  token: string,
): Promise<{ link: VisitedLink; state: LinkState } | undefined> {
  const linkId = deps.signer.verify("upload", token)?.["link"];
  if (typeof linkId !== "string" || !isId("uploadLink", linkId)) return undefined;
  const link = await deps.uploads.findLink(linkId);
  return link && { link, state: stateOfLink(link, deps.clock()) };
}

/** Read afresh for every request: membership, role, post and client are as they are now. */
export async function enterUpload(deps: Needs, token: string): Promise<UploadVisitor> {
  const found = await findLink(deps, token);
  if (!found) throw linkNotValid();
  const { link, state } = found;
  if (state === "withdrawn" || link.makerRole === null) throw linkWithdrawn();
  return {
    user: link.maker,
    studio: { id: link.studioId, name: link.studioName },
    role: link.makerRole,
    scopes,
    ...(link.clientId === null ? {} : { client: { id: link.clientId, name: link.clientName ?? link.clientId } }),
    link,
    state,
  };
}
