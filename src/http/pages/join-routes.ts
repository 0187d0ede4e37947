import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sessions.ts";
import type { Deps } from "#domain/deps.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { describeInvitation, findJoinedStudio } from "#domain/studios/describe-invitation.ts";
import { hours } from "#lib/clock.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import { isSignedForm, readForm, refuseForeignPage, signForm } from "./form.ts";
import { alreadyMemberPage, endedPage, joinPage, wrongAddressPage } from "./join-pages.ts";
import { sendPage } from "./page.ts";
import { pageHandler, seeOther } from "./page-handler.ts";
import { loginAddress } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface JoinParts {
  base: string;
  loginUrl: string;
  deps: Deps;
  sessions: Sessions;
  signer: Signer;
}

/** The page an invitation's link opens. */
export function joinRoutes({ base, loginUrl, deps, sessions, signer }: JoinParts): Route[] {
  const loginPath = new URL(loginUrl).pathname;
  const tokenIn = (req: IncomingMessage) => new URL(req.url ?? "/", base).pathname.slice("/join/".length);

  async function show(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = tokenIn(req);
    const path = `/join/${token}`;
    const user = await sessions.find(req.headers.cookie);
    const otherAddress = loginAddress(loginPath, path, true);
    const joined = user && (await findJoinedStudio(deps, { user }, { token }));
    if (joined) return sendPage(res, alreadyMemberPage(joined, user, otherAddress));
    const invitation = await describeInvitation(deps, user, { token }).catch(unlessEnded);
    if (!invitation) return sendPage(res, endedPage(user ? undefined : loginAddress(loginPath, path)));
    if (user && !invitation.forPerson) return sendPage(res, wrongAddressPage(user, otherAddress));
    const formToken = user && signForm(signer, user, path, deps.clock() + hours(1));
    return sendPage(
      res,
      joinPage({ invitation, path, user, formToken, loginAddress: loginAddress(loginPath, path), otherAddress }),
    );
  }

  async function join(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseForeignPage(req, base);
    const token = tokenIn(req);
    const path = `/join/${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return seeOther(res, loginAddress(loginPath, path));
    const form = await readForm(req);
    if (!isSignedForm(signer, form.get("form"), user, path)) {
      throw edgeError(
        "forbidden",
        "This form is too old or was made for someone else.",
        "Open the invitation link again.",
      );
    }
    const joined = await acceptInvitation(deps, { user }, { token }).catch(unlessEnded);
    // Sent twice, the second finds it used: the page tells a member from someone who came too late.
    return seeOther(res, joined ? `/studios/${joined.studioId}` : path);
  }

  return [{ path: "/join/*", origin: "own", handle: pageHandler(base, { GET: show, POST: join }) }];
}

/** Nothing for an invitation that is not there any more, or never was. */
function unlessEnded(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}
