import type { IncomingMessage, ServerResponse } from "node:http";
import { openConnectLink, startConnect } from "#domain/platforms/connect-link.ts";
import { finishConnect } from "#domain/platforms/finish-connect.ts";
import { findMediaWarning } from "#domain/model/validation/media-reachability.ts";
import type { SealedPendingConnect } from "#domain/ports/platforms.ts";
import { minutes } from "#lib/clock.ts";
import { createPendingCookie } from "#lib/cookies.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { createDocumentHandler, requireMethod } from "../oauth-routes.ts";
import { logError } from "../problem.ts";
import type { RequestContext, Route } from "../server.ts";
import {
  formatReturnQuery,
  parseReturnPost,
  renderConnectedPage,
  renderConnectFailedPage,
  renderConnectPage,
  type ReturnPost,
} from "./connect-pages.ts";
import { buildLoginUrl, createFormToken, formExpiredError, readForm, readFormToken } from "./form.ts";
import { createPageHandler, redirectSeeOther, type PageContext } from "./page-handler.ts";
import { sendPage, type RenderedPage } from "./page.ts";

/** The client metadata document of this server, which platforms read. */
export interface ClientDocument {
  path: string;
  body: Readonly<Record<string, unknown>>;
}

const pagePath = "/connect/";

/** The page that connects a platform account, the URL to which platforms redirect the user, and our client document. */
export function createConnectRoutes(
  { deps, loginUrl, sessions, limitRate }: PageContext,
  clientDocument: ClientDocument,
): Route[] {
  const { baseUrl: base, signer } = deps;
  const loginPath = new URL(loginUrl).pathname;
  const pendingConnects = createPendingCookie<SealedPendingConnect & { returnPost?: ReturnPost | undefined }>(
    { signer, clock: deps.clock, base },
    "connect",
    5,
  );
  /** The form token belongs to the path without the query. */
  function parseRequest(req: IncomingMessage) {
    const { pathname, searchParams } = new URL(req.url ?? "/", base);
    const returnPost = parseReturnPost(searchParams);
    const token = pathname.slice(pagePath.length);
    const path = `${pagePath}${token}`;
    return { token, path, returnPost, pageUrl: `${path}${formatReturnQuery(returnPost)}` };
  }

  async function handleGet(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> {
    const { token, path, returnPost, pageUrl } = parseRequest(req);
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) return redirectSeeOther(res, buildLoginUrl(loginPath, pageUrl));
    const { user } = webUser;
    return withFailurePage(res, context, returnPost, async () => {
      const { link, platformInfo, caller } = await openConnectLink(deps, webUser, { token });
      const formToken = createFormToken(signer, user, path, deps.clock() + minutes(15));
      const instance = link.instance === "" ? undefined : new URL(link.instance).host;
      return renderConnectPage({
        pageUrl,
        platform: platformInfo.name,
        warning: [findMediaWarning(base, platformInfo), platformInfo.notice].filter(Boolean).join(" ") || undefined,
        instance,
        studio: caller.studio,
        user,
        client: caller.client,
        returnPost,
        formToken,
        switchAccountUrl: buildLoginUrl(loginPath, pageUrl, true),
        // Platforms redirect through several of their hosts, and the browser checks form-action for each. An instance
        // on this machine may use plain http.
        formTargets: ["https:", ...(link.instance.startsWith("http:") ? [link.instance] : [])],
      });
    });
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse, context: RequestContext): Promise<void> {
    const { token, path, returnPost, pageUrl } = parseRequest(req);
    const form = await readForm(req);
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) return redirectSeeOther(res, buildLoginUrl(loginPath, pageUrl));
    return withFailurePage(res, context, returnPost, async () => {
      if (readFormToken(signer, form.get("form"), webUser.user) !== path)
        throw formExpiredError("Open the link again.");
      const { location, ...pending } = await startConnect(deps, webUser, { token });
      res.setHeader("set-cookie", pendingConnects.add({ ...pending, returnPost }, req.headers.cookie));
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
    return withFailurePage(res, context, pending?.returnPost, async () => {
      const webUser = await sessions.find(req.headers.cookie);
      if (!webUser) throw edgeError("forbidden", "Your session has ended.", "Sign in, then start again.");
      return renderConnectedPage(await finishConnect(deps, webUser, { callback, pending }), pending?.returnPost);
    });
  }

  return [
    { path: `${pagePath}*`, originRule: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) },
    {
      path: clientDocument.path,
      originRule: "any",
      handle: requireMethod("GET", createDocumentHandler(clientDocument.body)),
    },
    {
      path: "/api/platforms/callback/*",
      originRule: "own",
      logsRest: true,
      handle: createPageHandler(base, { GET: handleCallback }),
    },
  ];
}

/** Renders expected errors on the connect failure page; the page handler renders unexpected ones. */
async function withFailurePage(
  res: ServerResponse,
  context: RequestContext,
  returnPost: ReturnPost | undefined,
  work: () => Promise<RenderedPage | undefined>,
): Promise<void> {
  const page = await work().catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    logError(error, context);
    return renderConnectFailedPage(error, returnPost);
  });
  if (page) sendPage(res, page);
}
