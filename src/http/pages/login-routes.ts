import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sessions.ts";
import type { SignIn } from "#auth/sign-in.ts";
import type { RateLimitName } from "#domain/access/rate-limit.ts";
import { AppError } from "#lib/errors.ts";
import { readForm, assertNotCrossSite } from "./form.ts";
import { renderSignInFailedPage, renderLoginPage, renderSignedInPage } from "./login-pages.ts";
import { sendPage } from "./page.ts";
import { createPageHandler, redirectSeeOther } from "./page-handler.ts";
import { buildLoginUrl, sanitizeReturnTo } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface LoginRouteOptions {
  base: string;
  loginUrl: string;
  sessions: Sessions;
  signIn: SignIn;
  /** Throws once an address asks too often. */
  limitRate: (name: RateLimitName, req: IncomingMessage) => Promise<void>;
}

const callbackPath = "/api/auth/callback/";

/** The sign-in page, and the address to which identity providers send people back. */
export function createLoginRoutes({ base, loginUrl, sessions, signIn, limitRate }: LoginRouteOptions): Route[] {
  const loginPath = new URL(loginUrl).pathname;

  async function handleLoginPage(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const query = new URL(req.url ?? "/", base).searchParams;
    const returnTo = sanitizeReturnTo(query.get("return_to"));
    const isSwitchingAccount = query.has("switch");
    const user = isSwitchingAccount ? undefined : await sessions.find(req.headers.cookie);
    if (user && returnTo !== "/") return redirectSeeOther(res, returnTo);
    const switchAccountUrl = buildLoginUrl(loginPath, returnTo, true);
    return sendPage(
      res,
      user
        ? renderSignedInPage(user, switchAccountUrl)
        : renderLoginPage({ loginPath, returnTo, isSwitchingAccount, providers: signIn.providers }),
    );
  }

  async function handleSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    assertNotCrossSite(req, base);
    await limitRate("signIn", req);
    const form = await readForm(req);
    const returnTo = sanitizeReturnTo(form.get("return_to"));
    const otherAccount = form.has("switch");
    const retryUrl = buildLoginUrl(loginPath, returnTo, otherAccount);
    const provider =
      form.get("provider") ?? (signIn.providers.length === 1 ? signIn.providers[0]?.id : undefined) ?? "";
    await withFailurePage(res, retryUrl, async () => {
      const { location, setCookie } = await signIn.start({
        provider,
        returnTo,
        isSwitchingAccount: otherAccount,
        cookies: req.headers.cookie,
      });
      res.setHeader("set-cookie", setCookie);
      redirectSeeOther(res, location);
    });
  }

  async function handleCallback(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limitRate("signInCallback", req);
    // The address as we gave it to the provider: from settings, whatever the request calls us.
    const callback = new URL(`${base}${req.url}`);
    const provider = callback.pathname.slice(callbackPath.length);
    const { pending, setCookie } = signIn.consumePending(callback, req.headers.cookie);
    res.setHeader("set-cookie", setCookie);
    const returnTo = sanitizeReturnTo(pending?.returnTo);
    await withFailurePage(res, buildLoginUrl(loginPath, returnTo, true), async () => {
      const cookies = await signIn.finish({ provider, callback, pending, cookies: req.headers.cookie });
      res.setHeader("set-cookie", [setCookie, ...cookies]);
      redirectSeeOther(res, returnTo);
    });
  }

  const loginHandler = createPageHandler(base, { GET: handleLoginPage, POST: handleSignIn });
  return [
    ...[...new Set(["/login", loginPath])].map((path): Route => ({ path, origin: "own", handle: loginHandler })),
    { path: `${callbackPath}*`, origin: "own", handle: createPageHandler(base, { GET: handleCallback }) },
  ];
}

/** What an identity provider or its answer got wrong ends on a page with the way to begin again. */
async function withFailurePage(res: ServerResponse, retryUrl: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "not_found") throw error;
    sendPage(res, renderSignInFailedPage(error, retryUrl));
  }
}
