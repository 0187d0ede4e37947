import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sessions.ts";
import type { Deps } from "#domain/deps.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { describeInvitation, findJoinedStudio } from "#domain/studios/describe-invitation.ts";
import { hours } from "#lib/clock.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import { isSignedForm, readForm, assertNotCrossSite, signForm } from "./form.ts";
import { alreadyMemberPage, renderInvitationEndedPage, renderJoinPage, renderWrongEmailPage } from "./join-pages.ts";
import { sendPage } from "./page.ts";
import { createPageHandler, redirectSeeOther } from "./page-handler.ts";
import { buildLoginUrl } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface JoinRouteOptions {
  base: string;
  loginUrl: string;
  deps: Deps;
  sessions: Sessions;
  signer: Signer;
}

/** The page an invitation's link opens. */
export function createJoinRoutes({ base, loginUrl, deps, sessions, signer }: JoinRouteOptions): Route[] {
  const loginPath = new URL(loginUrl).pathname;
  const getToken = (req: IncomingMessage) => new URL(req.url ?? "/", base).pathname.slice("/join/".length);

  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = getToken(req);
    const path = `/join/${token}`;
    const user = await sessions.find(req.headers.cookie);
    const switchAccountUrl = buildLoginUrl(loginPath, path, true);
    const joined = user && (await findJoinedStudio(deps, { user }, { token }));
    if (joined) return sendPage(res, alreadyMemberPage(joined, user, switchAccountUrl));
    const invitation = await describeInvitation(deps, user, { token }).catch(undefinedIfNotFound);
    if (!invitation) return sendPage(res, renderInvitationEndedPage(user ? undefined : buildLoginUrl(loginPath, path)));
    if (user && !invitation.forPerson) return sendPage(res, renderWrongEmailPage(user, switchAccountUrl));
    const formToken = user && signForm(signer, user, path, deps.clock() + hours(1));
    return sendPage(
      res,
      renderJoinPage({
        invitation,
        path,
        user,
        formToken,
        loginUrl: buildLoginUrl(loginPath, path),
        switchAccountUrl,
      }),
    );
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    assertNotCrossSite(req, base);
    const token = getToken(req);
    const path = `/join/${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return redirectSeeOther(res, buildLoginUrl(loginPath, path));
    const form = await readForm(req);
    if (!isSignedForm(signer, form.get("form"), user, path)) {
      throw edgeError(
        "forbidden",
        "This form is too old or was made for someone else.",
        "Open the invitation link again.",
      );
    }
    const joined = await acceptInvitation(deps, { user }, { token }).catch(undefinedIfNotFound);
    // Sent twice, the second finds it used: the page tells a member from someone who came too late.
    return redirectSeeOther(res, joined ? `/studios/${joined.studioId}` : path);
  }

  return [{ path: "/join/*", origin: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) }];
}

/** Nothing for an invitation that is not there any more, or never was. */
function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}
