import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "#auth/sign-in.ts";
import type { RateLimitName } from "#domain/access/rate-limit.ts";
import type { Person } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { openConnectLink, startConnect } from "#domain/platforms/connect-link.ts";
import { finishConnect, type ConnectResult } from "#domain/platforms/finish-connect.ts";
import { findMediaWarning } from "#domain/platforms/media-reachability.ts";
import type { SealedPendingConnect } from "#domain/platforms/ports.ts";
import { minutes } from "#lib/clock.ts";
import { createPendingCookie } from "#lib/cookies.ts";
import { AppError, edgeError, hintFor } from "#lib/errors.ts";
import { errorHints } from "../error-hints.ts";
import type { Signer } from "#lib/signed-token.ts";
import { createDocumentHandler, requireMethod } from "../oauth-routes.ts";
import { logError } from "../problem.ts";
import type { RequestContext, Route } from "../server.ts";
import { assertNotCrossSite, buildLoginUrl, isFormTokenValid, readForm, createFormToken } from "./form.ts";
import { createPageHandler, redirectSeeOther } from "./page-handler.ts";
import { html, renderAccountDetails, renderPage, sendPage, type RenderedPage } from "./page.ts";

export interface ConnectRouteOptions {
  base: string;
  loginUrl: string;
  deps: Deps;
  sessions: Sessions;
  signer: Signer;
  limitRate: (name: RateLimitName, req: IncomingMessage) => Promise<void>;
  /** The client metadata document of this server, which platforms read. */
  clientDocument: { path: string; body: Readonly<Record<string, unknown>> };
}

const pagePath = "/connect/";

/** The page that connects a platform account, the URL to which platforms redirect the user, and our client document. */
export function createConnectRoutes({
  base,
  loginUrl,
  deps,
  sessions,
  signer,
  limitRate,
  clientDocument,
}: ConnectRouteOptions): Route[] {
  const loginPath = new URL(loginUrl).pathname;
  const pendingConnects = createPendingCookie<SealedPendingConnect>({
    signer,
    clock: deps.clock,
    base,
    name: "atelier-connect",
    purpose: "connect",
    maxPending: 5,
  });
  const getToken = (req: IncomingMessage) => new URL(req.url ?? "/", base).pathname.slice(pagePath.length);

  async function handleGet(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> {
    const token = getToken(req);
    const path = `${pagePath}${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return redirectSeeOther(res, buildLoginUrl(loginPath, path));
    return withFailurePage(res, context, async () => {
      const { link, platformInfo, caller } = await openConnectLink(deps, { user }, { token });
      const formToken = createFormToken(signer, user, path, deps.clock() + minutes(15));
      const instance = link.instance === "" ? undefined : new URL(link.instance).host;
      return renderConnectPage({
        path,
        platform: platformInfo.name,
        warning: findMediaWarning(base, platformInfo),
        instance,
        studio: caller.studio,
        user,
        client: caller.client,
        formToken,
        switchAccountUrl: buildLoginUrl(loginPath, path, true),
        // Platforms redirect through several of their hosts, and the browser checks form-action for each. An instance
        // on this machine may use plain http.
        formTargets: ["https:", ...(link.instance.startsWith("http:") ? [link.instance] : [])],
      });
    });
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> {
    assertNotCrossSite(req, base);
    const token = getToken(req);
    const path = `${pagePath}${token}`;
    const user = await sessions.find(req.headers.cookie);
    if (!user) return redirectSeeOther(res, buildLoginUrl(loginPath, path));
    const form = await readForm(req);
    return withFailurePage(res, context, async () => {
      if (!isFormTokenValid(signer, form.get("form"), user, path))
        throw edgeError("forbidden", "This form has expired or belongs to another account.", "Open the link again.");
      const { location, ...pending } = await startConnect(deps, { user }, { token });
      res.setHeader("set-cookie", pendingConnects.add(pending, req.headers.cookie));
      redirectSeeOther(res, location);
      return undefined;
    });
  }

  async function handleCallback(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> {
    await limitRate("connectCallback", req);
    // The callback URL must equal the registered one, so it uses the configured base, not the Host header.
    const callback = new URL(`${base}${req.url}`);
    const { pending, setCookie } = pendingConnects.consume(callback.searchParams.get("state"), req.headers.cookie);
    res.setHeader("set-cookie", setCookie);
    // The URL contains an authorization code; keep it out of Referer, even though the code is already used.
    res.setHeader("referrer-policy", "no-referrer");
    return withFailurePage(res, context, async () => {
      const user = await sessions.find(req.headers.cookie);
      if (!user) throw edgeError("forbidden", "Your session has ended.", "Sign in, then start again.");
      return renderConnectedPage(await finishConnect(deps, { user }, { callback, pending }));
    });
  }

  return [
    { path: `${pagePath}*`, originRule: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) },
    {
      path: clientDocument.path,
      originRule: "any",
      handle: requireMethod("GET", createDocumentHandler(clientDocument.body)),
    },
    { path: "/api/platforms/callback/*", originRule: "own", handle: createPageHandler(base, { GET: handleCallback }) },
  ];
}

/** Renders expected errors on the connect failure page; the page handler renders unexpected ones. */
async function withFailurePage(
  res: ServerResponse,
  context: RequestContext,
  work: () => Promise<RenderedPage | undefined>,
): Promise<void> {
  const page = await work().catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    logError(error, context);
    return renderConnectFailedPage(error);
  });
  if (page) sendPage(res, page);
}

interface ConnectPageOptions {
  path: string;
  platform: string;
  warning: string | undefined;
  /** Host of the instance, if the platform has instances. */
  instance: string | undefined;
  studio: { id: string; name: string };
  user: Person;
  client: { name: string } | undefined;
  formToken: string;
  switchAccountUrl: string;
  /** CSP `form-action` sources for the redirects that follow the form. */
  formTargets: readonly string[];
}

/** Shows the studio, the platform and the user before the browser opens the platform. */
function renderConnectPage(options: ConnectPageOptions): RenderedPage {
  const { path, platform, warning, instance, studio, user, client, formToken, switchAccountUrl, formTargets } = options;
  return renderPage({
    title: `Connect ${platform}`,
    formTargets,
    body: html`<h1>Connect ${platform} to ${studio.name}</h1>
      <p>
        Next, choose the account to connect on ${instance ?? platform}. If you’re signed in there with a different
        account, switch first.
      </p>
      ${warning !== undefined && html`<p class="hint">${warning}</p>`}
      ${renderAccountDetails(
        user,
        html`<dt>Studio</dt>
          <dd>${studio.name}</dd>
          <dt>Platform</dt>
          <dd>${platform}${instance !== undefined && html` <span class="hint">${instance}</span>`}</dd>
          ${
            client !== undefined &&
            html`<dt>Requested by</dt>
              <dd>${client.name}</dd>`
          }`,
      )}
      <form method="post" action="${path}">
        <input type="hidden" name="form" value="${formToken}" />
        <p class="hint">
          The connection belongs to the studio. An owner or admin can disconnect it at any time on the Platforms page.
        </p>
        <p class="actions">
          <button type="submit">Continue to ${platform}</button>
          <a class="button secondary" href="/studios/${studio.id}/platforms">Cancel</a>
        </p>
        <p class="hint"><a href="${switchAccountUrl}">Sign in to Atelier as someone else</a></p>
      </form>`,
  });
}

function renderConnectedPage({ studio, platform, accounts }: ConnectResult): RenderedPage {
  return renderPage({
    title: "Connected",
    body: html`<h1>${platform} is connected</h1>
      <p>
        ${studio.name} can now use the ${platform} ${accounts.length === 1 ? "account" : "accounts"}
        ${accounts.map((account) => `“${account}”`).join(", ")}.
      </p>
      <p class="actions"><a class="button" href="/studios/${studio.id}/platforms">Go to Platforms</a></p>`,
  });
}

function renderConnectFailedPage(error: AppError): RenderedPage {
  const hint = hintFor(error, errorHints);
  // A user who reloads the last page after success gets `connect_expired`, although an account was connected.
  const title = error.code === "connect_expired" ? "This page can’t be used again" : "Account not connected";
  return renderPage({
    status: error.status,
    title,
    body: html`<h1>${title}</h1>
      <p>${error.message}</p>
      ${hint !== undefined && html`<p class="hint">${hint}</p>`}
      <p class="hint">Code: ${error.code}</p>
      <p class="actions">
        <a class="button" href="/platforms">Go to Platforms</a>
      </p>`,
  });
}
