import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sessions.ts";
import type { RateLimitName } from "#domain/access/rate-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { openConnectPage, startConnect } from "#domain/platforms/connect-page.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import type { PendingConnect } from "#domain/platforms/ports.ts";
import { minutes } from "#lib/clock.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { createPendingCookie } from "#lib/pending-cookie.ts";
import type { Signer } from "#lib/signed-token.ts";
import { renderConnectedPage, renderConnectPage, renderConnectFailedPage } from "./connect-pages.ts";
import { isSignedForm, readForm, assertNotCrossSite, signForm } from "./form.ts";
import { sendPage, type RenderedPage } from "./page.ts";
import { createPageHandler, redirectSeeOther } from "./page-handler.ts";
import { buildLoginUrl } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface ConnectRouteOptions {
  base: string;
  loginUrl: string;
  deps: Deps;
  sessions: Sessions;
  signer: Signer;
  limitRate: (name: RateLimitName, req: IncomingMessage) => Promise<void>;
}

const pagePath = "/connect/";

/** The page that connects an account of a platform, and the address to which platforms send people back. */
export function createConnectRoutes({
  base,
  loginUrl,
  deps,
  sessions,
  signer,
  limitRate,
}: ConnectRouteOptions): Route[] {
  const loginPath = new URL(loginUrl).pathname;
  const pendingConnects = createPendingCookie<PendingConnect>({
    signer,
    clock: deps.clock,
    base,
    name: "atelier-connect",
    purpose: "connect",
    maxPending: 5,
  });
  const getToken = (req: IncomingMessage) => new URL(req.url ?? "/", base).pathname.slice(pagePath.length);

  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = getToken(req);
    const path = `${pagePath}${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return redirectSeeOther(res, buildLoginUrl(loginPath, path));
    return withFailurePage(res, async () => {
      const { page, platformInfo, caller } = await openConnectPage(deps, { user }, { token });
      const formToken = signForm(signer, user, path, deps.clock() + minutes(15));
      const instance = page.instance === "" ? undefined : new URL(page.instance).host;
      return renderConnectPage({
        path,
        platform: platformInfo.name,
        instance,
        studio: caller.studio,
        user,
        client: caller.client,
        formToken,
        switchAccountUrl: buildLoginUrl(loginPath, path, true),
        // A platform passes people on through hosts of its own, and a browser checks each of them.
        formTarget: "https:",
      });
    });
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    assertNotCrossSite(req, base);
    const token = getToken(req);
    const path = `${pagePath}${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return redirectSeeOther(res, buildLoginUrl(loginPath, path));
    const form = await readForm(req);
    return withFailurePage(res, async () => {
      if (!isSignedForm(signer, form.get("form"), user, path))
        throw edgeError("forbidden", "This form is too old or was made for someone else.", "Open the link again.");
      const { location, ...pending } = await startConnect(deps, { user }, { token });
      res.setHeader("set-cookie", pendingConnects.add(pending, req.headers.cookie));
      redirectSeeOther(res, location);
      return undefined;
    });
  }

  async function handleCallback(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limitRate("connectCallback", req);
    // The address as we gave it to the platform: from settings, whatever the request calls us.
    const callback = new URL(`${base}${req.url}`);
    const { pending, setCookie } = pendingConnects.consume(callback.searchParams.get("state"), req.headers.cookie);
    res.setHeader("set-cookie", setCookie);
    // The address of this page holds a code; spent, but nobody else's business.
    res.setHeader("referrer-policy", "no-referrer");
    return withFailurePage(res, async () => {
      const user = await sessions.find(req.headers.cookie);
      if (!user) throw edgeError("forbidden", "You are not signed in any more.", "Sign in, then start again.");
      return renderConnectedPage(await finishConnect(deps, { user }, { callback, pending }));
    });
  }

  return [
    { path: `${pagePath}*`, origin: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) },
    { path: "/api/platforms/callback/*", origin: "own", handle: createPageHandler(base, { GET: handleCallback }) },
  ];
}

/** Whatever is known to go wrong here is told on a page of its own; the rest is the page handler's. */
async function withFailurePage(res: ServerResponse, work: () => Promise<RenderedPage | undefined>): Promise<void> {
  const page = await work().catch((error: unknown) => {
    if (error instanceof AppError) return renderConnectFailedPage(error);
    throw error;
  });
  if (page) sendPage(res, page);
}
