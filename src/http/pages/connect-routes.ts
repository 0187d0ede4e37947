import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sign-in.ts";
import type { RateLimitName } from "#domain/access/rate-limit.ts";
import type { Person } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { openConnectPage, startConnect } from "#domain/platforms/connect-page.ts";
import { finishConnect, type ConnectResult } from "#domain/platforms/finish-connect.ts";
import type { PendingConnect } from "#domain/platforms/ports.ts";
import { minutes } from "#lib/clock.ts";
import { createPendingCookie } from "#lib/cookies.ts";
import { AppError, edgeError, hintFor } from "#lib/errors.ts";
import { errorHints } from "../error-hints.ts";
import type { Signer } from "#lib/signed-token.ts";
import type { Route } from "../server.ts";
import { assertNotCrossSite, buildLoginUrl, isSignedForm, readForm, signForm } from "./form.ts";
import { renderAccountDetails } from "./login-routes.ts";
import { createPageHandler, redirectSeeOther } from "./page-handler.ts";
import { html, renderPage, sendPage, type RenderedPage } from "./page.ts";

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

export interface ConnectPageOptions {
  path: string;
  platform: string;
  /** Host of the instance, where the platform has many. */
  instance: string | undefined;
  studio: { name: string };
  user: Person;
  client: { name: string } | undefined;
  formToken: string;
  switchAccountUrl: string;
  /** Where the form leads, for the browser's own check. */
  formTarget: string;
}

/** What will be connected to what, for whom. Nothing has gone anywhere yet. */
function renderConnectPage(options: ConnectPageOptions): RenderedPage {
  const { path, platform, instance, studio, user, client, formToken, switchAccountUrl, formTarget } = options;
  return renderPage({
    title: `Connect ${platform}`,
    formTargets: [formTarget],
    body: html`<h1>Connect ${platform} to ${studio.name}</h1>
      <p>
        You go to ${instance ?? platform} now, and choose there which account to connect. If it is signed in with
        another account than the studio’s, change that there first.
      </p>
      ${renderAccountDetails(
        user,
        html`<dt>Studio</dt>
          <dd>${studio.name}</dd>
          <dt>Platform</dt>
          <dd>${platform}${instance !== undefined && html` <span class="hint">${instance}</span>`}</dd>
          ${
            client !== undefined &&
            html`<dt>Asked for by</dt>
              <dd>${client.name}</dd>`
          }`,
      )}
      <form method="post" action="${path}">
        <input type="hidden" name="form" value="${formToken}" />
        <p class="hint">
          The access then belongs to the studio, not to you alone. An owner or admin can end it at any time, on the
          studio’s Platforms page.
        </p>
        <p class="actions">
          <button type="submit">Continue to ${platform}</button>
          <a class="button secondary" href="${switchAccountUrl}">Use another account</a>
        </p>
      </form>`,
  });
}

function renderConnectedPage({ studio, platform, accounts }: ConnectResult): RenderedPage {
  return renderPage({
    title: "Connected",
    body: html`<h1>${platform} is connected</h1>
      <p>${accounts.join(", ")} can now be used in ${studio.name}, and you can close this page.</p>
      <p class="actions"><a class="button" href="/studios/${studio.id}/platforms">Go to the studio’s platforms</a></p>`,
  });
}

function renderConnectFailedPage(error: AppError): RenderedPage {
  const hint = hintFor(error, errorHints);
  return renderPage({
    status: error.status,
    title: "Not connected",
    body: html`<h1>Nothing was connected</h1>
      <p>${error.message}</p>
      ${hint !== undefined && html`<p class="hint">${hint}</p>`}
      <p class="hint">Code: ${error.code}</p>
      <p class="actions">
        <a class="button" href="/platforms">Go to Platforms</a>
      </p>`,
  });
}
