import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sessions.ts";
import type { RateLimit } from "#domain/access/rate-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { openConnectPage, startConnect } from "#domain/platforms/connect-page.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import type { PendingConnect } from "#domain/platforms/ports.ts";
import { minutes } from "#lib/clock.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { createPendingCookie } from "#lib/pending-cookie.ts";
import type { Signer } from "#lib/signed-token.ts";
import { connectedPage, connectPage, failedConnectPage } from "./connect-pages.ts";
import { isSignedForm, readForm, refuseForeignPage, signForm } from "./form.ts";
import { sendPage, type RenderedPage } from "./page.ts";
import { pageHandler, seeOther } from "./page-handler.ts";
import { loginAddress } from "./return-to.ts";
import type { Route } from "../server.ts";

export interface ConnectParts {
  base: string;
  loginUrl: string;
  deps: Deps;
  sessions: Sessions;
  signer: Signer;
  limit: (name: RateLimit, req: IncomingMessage) => Promise<void>;
}

const pagePath = "/connect/";

/** The page that connects an account of a platform, and the address to which platforms send people back. */
export function connectRoutes({ base, loginUrl, deps, sessions, signer, limit }: ConnectParts): Route[] {
  const loginPath = new URL(loginUrl).pathname;
  const pendings = createPendingCookie<PendingConnect>({
    signer,
    clock: deps.clock,
    base,
    name: "atelier-connect",
    purpose: "connect",
    mostAtOnce: 5,
  });
  const tokenIn = (req: IncomingMessage) => new URL(req.url ?? "/", base).pathname.slice(pagePath.length);

  async function show(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = tokenIn(req);
    const path = `${pagePath}${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return seeOther(res, loginAddress(loginPath, path));
    return orFailedPage(res, async () => {
      const { page, facts, caller } = await openConnectPage(deps, { user }, { token });
      const formToken = signForm(signer, user, path, deps.clock() + minutes(15));
      const instance = page.instance === "" ? undefined : new URL(page.instance).host;
      return connectPage({
        path,
        platform: facts.name,
        instance,
        studio: caller.studio,
        user,
        client: caller.client,
        formToken,
        otherAddress: loginAddress(loginPath, path, true),
        // A platform passes people on through hosts of its own, and a browser checks each of them.
        target: "https:",
      });
    });
  }

  async function start(req: IncomingMessage, res: ServerResponse): Promise<void> {
    refuseForeignPage(req, base);
    const token = tokenIn(req);
    const path = `${pagePath}${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return seeOther(res, loginAddress(loginPath, path));
    const form = await readForm(req);
    return orFailedPage(res, async () => {
      if (!isSignedForm(signer, form.get("form"), user, path))
        throw edgeError("forbidden", "This form is too old or was made for someone else.", "Open the link again.");
      const { location, ...pending } = await startConnect(deps, { user }, { token });
      res.setHeader("set-cookie", pendings.add(pending, req.headers.cookie));
      seeOther(res, location);
      return undefined;
    });
  }

  async function finish(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limit("connectCallback", req);
    // The address as we gave it to the platform: from settings, whatever the request calls us.
    const callback = new URL(`${base}${req.url}`);
    const { pending, setCookie } = pendings.take(callback.searchParams.get("state"), req.headers.cookie);
    res.setHeader("set-cookie", setCookie);
    // The address of this page holds a code; spent, but nobody else's business.
    res.setHeader("referrer-policy", "no-referrer");
    return orFailedPage(res, async () => {
      const user = await sessions.find(req.headers.cookie);
      if (!user) throw edgeError("forbidden", "You are not signed in any more.", "Sign in, then start again.");
      return connectedPage(await finishConnect(deps, { user }, { callback, pending }));
    });
  }

  return [
    { path: `${pagePath}*`, origin: "own", handle: pageHandler(base, { GET: show, POST: start }) },
    { path: "/api/platforms/callback/*", origin: "own", handle: pageHandler(base, { GET: finish }) },
  ];
}

/** Whatever is known to go wrong here is told on a page of its own; the rest is the page handler's. */
async function orFailedPage(res: ServerResponse, work: () => Promise<RenderedPage | undefined>): Promise<void> {
  const page = await work().catch((error: unknown) => {
    if (error instanceof AppError) return failedConnectPage(error);
    throw error;
  });
  if (page) sendPage(res, page);
}
