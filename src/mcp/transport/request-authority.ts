import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authentication } from "#domain/model/authentication.ts";
import type { MessageContext } from "../protocol/dispatcher.ts";
import { modernVersion } from "../protocol/messages.ts";
import { parseBearerToken, type Challenges } from "./bearer-challenge.ts";
import { getHeader } from "./headers.ts";
import { respondEarly, respondSessionNotFound, respondUnauthorized } from "./response.ts";
import type { Session, SessionIdCodec } from "./session-id.ts";

/** Who makes a request, and with which memberships. */
export interface RequestAuthority extends Pick<MessageContext, "authentication" | "memberships" | "sessionId"> {
  session: Session | undefined;
}

/** What a request sends to prove who makes it. `token` is undefined if there is none, and empty if it is malformed. */
export interface RequestCredentials {
  token: string | undefined;
  sessionId: string | undefined;
  session: Session | undefined;
}

export function readCredentials(req: IncomingMessage, sessionIdCodec: SessionIdCodec): RequestCredentials {
  // Protocol version 2026-07-28 has no sessions, so the session header is only read for older protocol versions.
  const isModern = req.headers["mcp-protocol-version"] === modernVersion;
  const sessionId = isModern ? undefined : getHeader(req, "mcp-session-id");
  const session = sessionId === undefined ? undefined : sessionIdCodec.decode(sessionId);
  return { token: parseBearerToken(req.headers.authorization), sessionId, session };
}

/** Responds and returns undefined if the token, the session or the memberships do not allow the request. */
export function acceptRequest(
  req: IncomingMessage,
  res: ServerResponse,
  { token, sessionId, session }: RequestCredentials,
  authentication: Authentication | undefined,
  challenges: Challenges,
): RequestAuthority | undefined {
  if (!authentication) {
    if (token === undefined) respondUnauthorized(req, res, challenges.missingToken, "unauthorized");
    else respondUnauthorized(req, res, challenges.invalidToken, "invalid_token");
    return undefined;
  }
  const { membership, nextSessionMembership } = authentication;
  if (!membership || !nextSessionMembership) {
    respondEarly(req, res, 403, "text/plain", "No studio membership");
    return undefined;
  }
  const isForeignSession = session?.grantId !== authentication.grantId;
  if (sessionId !== undefined && (isForeignSession || authentication.isSessionStudioDeleted)) {
    respondSessionNotFound(req, res);
    return undefined;
  }
  const memberships = { current: membership, nextSession: nextSessionMembership };
  return { authentication, memberships, sessionId, session };
}
