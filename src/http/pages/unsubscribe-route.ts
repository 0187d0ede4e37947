import type { IncomingMessage, ServerResponse } from "node:http";
import { describeSubscription, unsubscribe } from "#domain/mail/mail-settings.ts";
import { mailTopics } from "#domain/model/mail.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Route } from "../server.ts";
import { createPageHandler, getPath, type PageContext } from "./page-handler.ts";
import { html, renderPage, sendPage } from "./page.ts";

const pathPrefix = "/unsubscribe/";

/**
 * `{base}/unsubscribe/<token>`: ends the emails that the link is about. Mail programs send the POST without a cookie
 * (RFC 8058); the token is the only credential. A GET changes nothing, because mail scanners open links.
 */
export function createUnsubscribeRoute({ deps, limitRate }: Pick<PageContext, "deps" | "limitRate">): Route {
  async function readSubscription(req: IncomingMessage) {
    const token = getPath(req).slice(pathPrefix.length);
    const subscription = await describeSubscription(deps, token);
    if (subscription) return { token, ...subscription };
    await limitRate("unsubscribe", req);
    throw notFoundError("unsubscribe_link");
  }

  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { type, studioName = "a studio that you left" } = await readSubscription(req);
    const body = html`<h1>Unsubscribe</h1>
      <p>Stop emails about ${mailTopics[type]} in ${studioName}?</p>
      <form method="post" action="${getPath(req)}">
        <p class="actions"><button type="submit">Stop these emails</button></p>
      </form>`;
    sendPage(res, renderPage({ title: "Unsubscribe", body }));
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    req.resume(); // RFC 8058 §3.2: the body has no more than the URL says
    const { token, type, studioId, studioName = "that studio" } = await readSubscription(req);
    await unsubscribe(deps, token);
    const body = html`<h1>You are unsubscribed</h1>
      <p>You get no more emails about ${mailTopics[type]} in ${studioName}.</p>
      <p class="actions">
        <a class="button secondary" href="/studios/${studioId}/settings#email">Choose your emails</a>
      </p>`;
    sendPage(res, renderPage({ title: "Unsubscribed", body }));
  }

  const handle = createPageHandler(deps.baseUrl, { GET: handleGet, POST: handlePost }, true);
  return { path: `${pathPrefix}*`, originRule: "any", handle };
}
