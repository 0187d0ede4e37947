import type { Person } from "#domain/caller.ts";
import type { AppError } from "#lib/errors.ts";
import { html, renderPage, type Html, type RenderedPage } from "./page.ts";

export interface LoginPageOptions {
  loginPath: string;
  returnTo: string;
  /** The person wants an account other than the one their identity provider would take by itself. */
  isSwitchingAccount: boolean;
  providers: readonly { id: string; name: string; issuer: string }[];
}

/** What someone is on the way to, by the page they return to. */
const purposeByPath: readonly (readonly [path: string, words: string])[] = [
  ["/join/", "Sign in to accept your invitation."],
  ["/consent/", "An application asks to work in your studio. Sign in, and you see what it asks for before you decide."],
  ["/connect/", "Sign in to connect an account to your studio."],
  ["/", "Sign in to go to your studios."],
];

export function renderLoginPage({
  loginPath,
  returnTo,
  isSwitchingAccount,
  providers,
}: LoginPageOptions): RenderedPage {
  const purpose = purposeByPath.find(([path]) => returnTo.startsWith(path))?.[1] ?? "";
  return renderPage({
    title: "Sign in",
    // A provider passes people on through hosts of its own, and a browser checks each of them against this list.
    formTargets: [
      ...new Set(providers.map(({ issuer }) => (issuer.startsWith("https:") ? "https:" : new URL(issuer).origin))),
    ],
    body: html`<h1>Sign in</h1>
      <p>${purpose}</p>
      <div class="choices">
        ${providers.map(
          ({ id, name }) =>
            html`<form method="post" action="${loginPath}">
              <input type="hidden" name="provider" value="${id}" />
              <input type="hidden" name="return_to" value="${returnTo}" />
              ${isSwitchingAccount && html`<input type="hidden" name="switch" value="1" />`}
              <button type="submit">Continue with ${name}</button>
            </form> `,
        )}
      </div>`,
  });
}

export function renderSignedInPage(user: Person, switchAccountUrl: string): RenderedPage {
  return renderPage({
    title: "Signed in",
    body: html`<h1>You are signed in</h1>
      ${renderAccountDetails(user)}
      <p class="actions">
        <a class="button" href="/">Continue</a>
        <a class="button secondary" href="${switchAccountUrl}">Use another account</a>
      </p>`,
  });
}

export function renderSignInFailedPage(error: AppError, retryUrl: string): RenderedPage {
  return renderPage({
    status: error.status,
    title: "Not signed in",
    body: html`<h1>You were not signed in</h1>
      <p>${error.message}</p>
      ${error.hint !== undefined && html`<p class="hint">${error.hint}</p>`}
      <p class="actions"><a class="button" href="${retryUrl}">Try again</a></p>`,
  });
}

/** Who is signed in, as a list of facts; behind others where there are some. */
export function renderAccountDetails(user: Person, otherDetails: Html = html``): Html {
  return html`<dl class="facts">
    ${otherDetails}
    <dt>Signed in as</dt>
    <dd>
      ${user.name}${user.email !== null && user.email !== user.name && html` <span class="hint">${user.email}</span>`}
    </dd>
  </dl>`;
}
