import type { IncomingMessage, ServerResponse } from "node:http";
import type { Consent } from "#auth/consent.ts";
import { describeMe } from "#domain/access/describe-me.ts";
import type { User } from "#domain/access/ports.ts";
import { enforceRateLimit } from "#domain/access/rate-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { minutes } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import type { Signer } from "#lib/signed-token.ts";
import { scopesOfLevel } from "./client-access.ts";
import { renderConsentPage } from "./consent-page.ts";
import { isSignedForm, readForm, assertNotCrossSite, signForm } from "./form.ts";
import { createPageHandler, redirectSeeOther } from "./page-handler.ts";
import { sendPage } from "./page.ts";
import { buildLoginUrl } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface ConsentRouteOptions {
  consent: Consent;
  deps: Pick<Deps, "users" | "rateLimits" | "clock">;
  signer: Signer;
  base: string;
  loginUrl: string;
  findUser: (cookieHeader: string | undefined) => Promise<User | undefined>;
}

const formLifetime = minutes(30);

/** `/consent/<id>`: shows who asks for what, and takes the answer. */
export function createConsentRoutes({ consent, deps, signer, base, loginUrl, findUser }: ConsentRouteOptions): Route[] {
  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const user = await findUser(req.headers.cookie);
    if (!user) {
      const { pathname } = new URL(req.url ?? "/", base);
      return redirectSeeOther(res, buildLoginUrl(new URL(loginUrl).pathname, pathname, false));
    }
    await enforceRateLimit(deps, "consentPage", user.id);
    const pendingConsent = await consent.getPending(req, res);
    const me = await describeMe(deps, { user });
    const studio = me.memberships.find(({ studioId }) => studioId === me.activeStudioId);
    const formToken = signForm(signer, user, getPagePath(pendingConsent), deps.clock() + formLifetime);
    sendPage(res, renderConsentPage({ pendingConsent, user, studio, formToken }));
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    assertNotCrossSite(req, base);
    const user = await findUser(req.headers.cookie);
    if (!user) {
      throw edgeError("forbidden", "You are not signed in any more.", "Go back to your assistant and connect again.");
    }
    await enforceRateLimit(deps, "consent", user.id);
    const pendingConsent = await consent.getPending(req, res);
    const form = await readForm(req);
    // The approval's own cookie binds it to this browser as well.
    if (!isSignedForm(signer, form.get("token"), user, getPagePath(pendingConsent))) {
      throw edgeError(
        "forbidden",
        "This form is not the one we showed you.",
        "Go back to your assistant and connect again.",
      );
    }
    const decision = form.get("decision");
    if (decision === "cancel") return consent.deny(req, res);
    if (decision !== "approve") throw edgeError("invalid_input", "Choose Approve or Cancel.");
    return consent.grant(req, res, { user }, scopesOfLevel(form.get("access")));
  }

  return [{ path: "/consent/*", origin: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) }];
}

const getPagePath = ({ uid }: { uid: string }): string => `/consent/${uid}`;
