import type { Person } from "#domain/caller.ts";
import type { ConnectResult } from "#domain/platforms/finish-connect.ts";
import { hintFor, type AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { errorHints } from "../error-hints.ts";
import { html, renderAccountDetails, renderPage, type RenderedPage } from "./page.ts";

/** The post from which the user came to connect an account, and the time that they chose for it. */
export interface ReturnPost {
  studio: string;
  post: string;
  /** In the studio's time zone: `2026-11-15T09:30`. */
  at?: string;
}

/** Reads the query of a connect page, which the web app adds. Malformed values are dropped. */
export function parseReturnPost(query: URLSearchParams): ReturnPost | undefined {
  const read = (name: keyof ReturnPost): string => query.get(name) ?? "";
  const [studio, post, at] = [read("studio"), read("post"), read("at")];
  if (!isId("studio", studio) || !isId("post", post)) return undefined;
  return { studio, post, ...(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(at) ? { at } : {}) };
}

/** The query of a connect page, which leads back to the post. */
export const formatReturnQuery = (returnPost: ReturnPost | undefined): string =>
  returnPost ? `?${new URLSearchParams({ ...returnPost }).toString()}` : "";

interface ConnectPageOptions {
  pageUrl: string;
  platform: string;
  warning: string | undefined;
  /** Host of the instance, if the platform has instances. */
  instance: string | undefined;
  studio: { id: string; name: string };
  user: Person;
  client: { name: string } | undefined;
  returnPost: ReturnPost | undefined;
  formToken: string;
  switchAccountUrl: string;
  /** CSP `form-action` sources for the redirects that follow the form. */
  formTargets: readonly string[];
}

/** Shows the studio, the platform and the user before the browser opens the platform. */
export function renderConnectPage(options: ConnectPageOptions): RenderedPage {
  const { pageUrl, platform, warning, instance, studio, user, client, returnPost, formToken, switchAccountUrl } =
    options;
  return renderPage({
    title: `Connect ${platform}`,
    formTargets: options.formTargets,
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
      <form method="post" action="${pageUrl}">
        <input type="hidden" name="form" value="${formToken}" />
        <p class="hint">
          The connection belongs to the studio. An owner or admin can disconnect it at any time on the Platforms page.
        </p>
        <p class="actions">
          <button type="submit">Continue to ${platform}</button>
          <a class="button secondary" href="${getPlatformsUrl(studio.id, returnPost)}">Cancel</a>
        </p>
        <p class="hint"><a href="${switchAccountUrl}">Sign in to Atelier as someone else</a></p>
      </form>`,
  });
}

export function renderConnectedPage(
  { studio, platform, accounts }: ConnectResult,
  returnPost: ReturnPost | undefined,
): RenderedPage {
  const post = returnPost?.studio === studio.id ? returnPost : undefined;
  return renderPage({
    title: "Connected",
    body: html`<h1>${platform} is connected</h1>
      <p>
        ${studio.name} can now use the ${platform} ${accounts.length === 1 ? "account" : "accounts"}
        ${accounts.map((account) => `“${account}”`).join(", ")}.
      </p>
      <p class="actions">
        ${post && html`<a class="button" href="${getPostUrl(post)}">Back to the post</a>`}
        <a class="${post ? "button secondary" : "button"}" href="${getPlatformsUrl(studio.id, returnPost)}"
          >Go to Platforms</a
        >
      </p>`,
  });
}

/** The Platforms page of this studio, or of the active one. It leads back to a post of the same studio. */
function getPlatformsUrl(studioId: string | undefined, returnPost: ReturnPost | undefined): string {
  if (studioId === undefined) return "/platforms";
  const { studio, ...query } = returnPost ?? {};
  const search = studio === studioId ? `?${new URLSearchParams(query).toString()}` : "";
  return `/studios/${studioId}/platforms${search}`;
}

function getPostUrl({ studio, post, at }: ReturnPost): string {
  const query = at === undefined ? "" : `?${new URLSearchParams({ at }).toString()}`;
  return `/studios/${studio}/posts/${post}${query}`;
}

export function renderConnectFailedPage(error: AppError, returnPost: ReturnPost | undefined): RenderedPage {
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
        <a class="button" href="${getPlatformsUrl(returnPost?.studio, returnPost)}">Go to Platforms</a>
      </p>`,
  });
}
