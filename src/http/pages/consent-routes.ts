import type { IncomingMessage, ServerResponse } from "node:http";
import type { Consent } from "#auth/consent.ts";
import { describeMe } from "#domain/access/describe-me.ts";
import type { User } from "#domain/access/ports.ts";
import { countHit } from "#domain/access/rate-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import { scopesOfLevel } from "./client-access.ts";
import { consentPage } from "./consent-page.ts";
import { isSignedForm, readForm, refuseForeignPage, signForm } from "./form.ts";
import { pageHandler, seeOther } from "./page-handler.ts";
import { sendPage } from "./page.ts";
import { loginAddress } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface ConsentParts {
  consent: Consent;
  deps: Pick<Deps, "users" | "rateLimits" | "clock">;
  signer: Signer;
  base: string;
  loginUrl: string;
  findUser: (cookieHeader: string | undefined) => Promise<User | undefined>;
}

const formLifetime = minutes(30);

/** `/consent/<id>`: shows who asks for what, and takes the answer. */
export function consentRoutes({ consent, deps, signer, base, loginUrl, findUser }: ConsentParts): Route[] {
  async function ask(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const user = await findUser(req.headers.cookie);
    if (!user) {
      const { pathname } = new URL(req.url ?? "/", base);
      return seeOther(res, loginAddress(new URL(loginUrl).pathname, pathname, false));
    }
    await countHit(deps, "consentPage", user.id);
    const approval = await consent.pending(req, res);
    const me = await describeMe(deps, { user });
    const studio = me.memberships.find(({ studioId }) => studioId === me.activeStudioId);
    const token = signForm(signer, user, pageOf(approval), deps.clock() + formLifetime);
    sendPage(res, consentPage({ approval, user, studio, token }));
  }

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseForeignPage(req, base);
    const user = await findUser(req.headers.cookie);
    if (!user) {
      throw edgeError("forbidden", "You are not signed in any more.", "Go back to your assistant and connect again.");
    }
    await countHit(deps, "consent", user.id);
    const approval = await consent.pending(req, res);
    const form = await readForm(req);
    // The approval's own cookie binds it to this browser as well.
    if (!isSignedForm(signer, form.get("token"), user, pageOf(approval))) {
      throw edgeError(
        "forbidden",
        "This form is not the one we showed you.",
        "Go back to your assistant and connect again.",
      );
    }
    const decision = form.get("decision");
    if (decision === "cancel") return consent.cancel(req, res);
    if (decision !== "approve") throw edgeError("invalid_input", "Choose Approve or Cancel.");
    return consent.approve(req, res, { user }, scopesOfLevel(form.get("access")));
  }

  return [{ path: "/consent/*", origin: "own", handle: pageHandler(base, { GET: ask, POST: take }) }];
}

const pageOf = ({ uid }: { uid: string }): string => `/consent/${uid}`;
