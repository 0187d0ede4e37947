import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticator } from "#domain/access/authenticator.ts";
import type { RequestLogContext } from "#lib/log.ts";
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

/** Responds, and resolves to undefined, if the token, the session or the memberships do not allow the request. */
export type AuthorityReader = (
  req: IncomingMessage,
  res: ServerResponse,
  logContext: RequestLogContext,
) => Promise<RequestAuthority | undefined>;

export function createAuthorityReader(
  authenticate: Authenticator,
  challenges: Challenges,
  sessionIdCodec: SessionIdCodec,
): AuthorityReader {
  return async (req, res, logContext) => {
    const token = parseBearerToken(req.headers.authorization);
    if (token === undefined) {
      respondUnauthorized(req, res, challenges.missingToken, "unauthorized");
      return undefined;
    }
    // Protocol version 2026-07-28 has no sessions, so the session header is only read for older protocol versions.
    const isModern = req.headers["mcp-protocol-version"] === modernVersion;
    const sessionId = isModern ? undefined : getHeader(req, "mcp-session-id");
    const session = sessionId === undefined ? undefined : sessionIdCodec.decode(sessionId);
    const authentication = token === "" ? undefined : await authenticate(token, session?.studioId);
    if (!authentication) {
      respondUnauthorized(req, res, challenges.invalidToken, "invalid_token");
      return undefined;
    }
    logContext.userId = authentication.user.id;
    logContext.clientId = authentication.client.id;
    const { membership, nextSessionMembership } = authentication;
    if (!membership || !nextSessionMembership) {
      respondEarly(req, res, 403, "text/plain", "No studio membership");
      return undefined;
    }
    logContext.studioId = membership.studio.id;
    const isForeignSession = session?.grantId !== authentication.grantId;
    if (sessionId !== undefined && (isForeignSession || authentication.isSessionStudioDeleted)) {
      respondSessionNotFound(req, res);
      return undefined;
    }
    const memberships = { current: membership, nextSession: nextSessionMembership };
    return { authentication, memberships, sessionId, session };
  };
}
