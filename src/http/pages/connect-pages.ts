import type { Person } from "#domain/caller.ts";
import type { ConnectResult } from "#domain/platforms/finish-connect.ts";
import type { AppError } from "#lib/errors.ts";
import { renderAccountDetails } from "./login-pages.ts";
import { html, renderPage, type RenderedPage } from "./page.ts";

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
export function renderConnectPage(options: ConnectPageOptions): RenderedPage {
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

export function renderConnectedPage({ studio, platform, accounts }: ConnectResult): RenderedPage {
  return renderPage({
    title: "Connected",
    body: html`<h1>${platform} is connected</h1>
      <p>${accounts.join(", ")} can now be used in ${studio.name}, and you can close this page.</p>
      <p class="actions"><a class="button" href="/studios/${studio.id}/platforms">Go to the studio’s platforms</a></p>`,
  });
}

export function renderConnectFailedPage(error: AppError): RenderedPage {
  return renderPage({
    status: error.status,
    title: "Not connected",
    body: html`<h1>Nothing was connected</h1>
      <p>${error.message}</p>
      ${error.hint !== undefined && html`<p class="hint">${error.hint}</p>`}
      <p class="hint">Code: ${error.code}</p>
      <p class="actions">
        <a class="button" href="/platforms">Go to Platforms</a>
      </p>`,
  });
}
