import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sessions.ts";
import type { SignIn } from "#auth/sign-in.ts";
import type { RateLimit } from "#domain/access/rate-limit.ts";
import { AppError } from "#lib/errors.ts";
import { readForm, refuseForeignPage } from "./form.ts";
import { failedSignInPage, loginPage, signedInPage } from "./login-pages.ts";
import { sendPage } from "./page.ts";
import { pageHandler, seeOther } from "./page-handler.ts";
import { loginAddress, safeReturnTo } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface LoginParts {
  base: string;
  loginUrl: string;
  sessions: Sessions;
  signIn: SignIn;
  /** Throws once an address asks too often. */
  limit: (name: RateLimit, req: IncomingMessage) => Promise<void>;
}

const callbackPath = "/api/auth/callback/";

/** The sign-in page, and the address to which identity providers send people back. */
export function loginRoutes({ base, loginUrl, sessions, signIn, limit }: LoginParts): Route[] {
  const loginPath = new URL(loginUrl).pathname;

  async function showLogin(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const query = new URL(req.url ?? "/", base).searchParams;
    const returnTo = safeReturnTo(query.get("return_to"));
    const other = query.has("switch");
    const user = other ? undefined : await sessions.find(req.headers.cookie);
    if (user && returnTo !== "/") return seeOther(res, returnTo);
    const otherAddress = loginAddress(loginPath, returnTo, true);
    return sendPage(
      res,
      user ? signedInPage(user, otherAddress) : loginPage({ loginPath, returnTo, other, providers: signIn.providers }),
    );
  }

  async function startSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseForeignPage(req, base);
    await limit("signIn", req);
    const form = await readForm(req);
    const returnTo = safeReturnTo(form.get("return_to"));
    const otherAccount = form.has("switch");
    const again = loginAddress(loginPath, returnTo, otherAccount);
    const provider =
      form.get("provider") ?? (signIn.providers.length === 1 ? signIn.providers[0]?.id : undefined) ?? "";
    await orFailedPage(res, again, async () => {
      const { location, setCookie } = await signIn.start({
        provider,
        returnTo,
        otherAccount,
        cookies: req.headers.cookie,
      });
      res.setHeader("set-cookie", setCookie);
      seeOther(res, location);
    });
  }

  async function finishSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limit("signInCallback", req);
    // The address as we gave it to the provider: from settings, whatever the request calls us.
    const callback = new URL(`${base}${req.url}`);
    const provider = callback.pathname.slice(callbackPath.length);
    const { pending, setCookie } = signIn.take(callback, req.headers.cookie);
    res.setHeader("set-cookie", setCookie);
    const returnTo = safeReturnTo(pending?.returnTo);
    await orFailedPage(res, loginAddress(loginPath, returnTo, true), async () => {
      const cookies = await signIn.finish({ provider, callback, pending, cookies: req.headers.cookie });
      res.setHeader("set-cookie", [setCookie, ...cookies]);
      seeOther(res, returnTo);
    });
  }

  const login = pageHandler(base, { GET: showLogin, POST: startSignIn });
  return [
    ...[...new Set(["/login", loginPath])].map((path): Route => ({ path, origin: "own", handle: login })),
    { path: `${callbackPath}*`, origin: "own", handle: pageHandler(base, { GET: finishSignIn }) },
  ];
}

/** What an identity provider or its answer got wrong ends on a page with the way to begin again. */
async function orFailedPage(res: ServerResponse, again: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "not_found") throw error;
    sendPage(res, failedSignInPage(error, again));
  }
}
