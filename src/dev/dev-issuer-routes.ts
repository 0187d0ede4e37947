import type { IncomingMessage, ServerResponse } from "node:http";
import { readForm } from "#http/pages/form.ts";
import { getPath } from "#http/pages/page-handler.ts";
import { html, renderPage, sendPage, type RenderedPage } from "#http/pages/page.ts";
import type { Route } from "#http/server.ts";
import { readCookie } from "#lib/cookies.ts";
import { devIssuerPath, deriveNameFromEmail, parseEmail, type DevIssuer } from "./dev-issuer.ts";
import { createProviderRoutes } from "./provider-routes.ts";

const recentUsersCookie = "atelier_dev_people";
const maxRecentUsers = 6;

/** The dev issuer and its sign-in page. */
export function createDevIssuerRoutes(base: string, devIssuer: DevIssuer): Route[] {
  async function showSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await devIssuer.assertPending(req, res);
    sendPage(res, renderSignInPage(getPath(req), readRecentUsers(req)));
  }

  async function submitSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const enteredEmail = (await readForm(req)).get("email") ?? "";
    const email = parseEmail(enteredEmail);
    await devIssuer.assertPending(req, res);
    if (email === undefined) return sendPage(res, renderSignInPage(getPath(req), readRecentUsers(req), enteredEmail));
    rememberUser(req, res, email);
    return devIssuer.finish(req, res, email);
  }

  return createProviderRoutes({
    base,
    path: devIssuerPath,
    name: "Development sign-in",
    alternative: "Set OIDC_ISSUER to sign in with an identity provider",
    pages: { "/sign-in/*": { GET: showSignIn, POST: submitSignIn } },
    handle: devIssuer.handle,
  });
}

function renderSignInPage(action: string, recentUsers: readonly string[], invalidEmail?: string): RenderedPage {
  const isInvalid = invalidEmail !== undefined;
  return renderPage({
    title: "Sign in",
    status: isInvalid ? 400 : 200,
    body: html`<h1>Sign in</h1>
      <p>Development sign-in: any email works, no password.</p>
      <form method="post" action="${action}">
        <label for="email">Email</label>
        <input
          type="text"
          id="email"
          name="email"
          value="${invalidEmail ?? ""}"
          inputmode="email"
          autocomplete="email"
          autocapitalize="none"
          spellcheck="false"
          required
          autofocus${isInvalid && html` aria-invalid="true" aria-describedby="email-error"`}
        />
        ${isInvalid && html`<p class="field-error" id="email-error">Enter a valid email, like ada@example.com.</p>`}
        <p class="actions"><button type="submit">Sign in</button></p>
      </form>
      ${
        recentUsers.length > 0 &&
        html`<h2>Recently signed in</h2>
          <div class="choices">
            ${recentUsers.map(
              (email) =>
                html`<form method="post" action="${action}">
                  <input type="hidden" name="email" value="${email}" />
                  <button type="submit" class="secondary">
                    ${deriveNameFromEmail(email)} <span class="hint">${email}</span>
                  </button>
                </form> `,
            )}
          </div>`
      }`,
  });
}

function rememberUser(req: IncomingMessage, res: ServerResponse, email: string): void {
  const others = readRecentUsers(req).filter((other) => other !== email);
  const value = Buffer.from(JSON.stringify([email, ...others].slice(0, maxRecentUsers))).toString("base64url");
  res.setHeader(
    "set-cookie",
    `${recentUsersCookie}=${value}; Path=${devIssuerPath}; Max-Age=31536000; HttpOnly; SameSite=Lax`,
  );
}

/** Reads the emails used in this browser; ignores anything that is not a valid email. */
function readRecentUsers(req: IncomingMessage): string[] {
  try {
    const cookie = readCookie(req.headers.cookie, recentUsersCookie) ?? "";
    const emails: unknown = JSON.parse(Buffer.from(cookie, "base64url").toString());
    if (!Array.isArray(emails)) return [];
    return emails
      .filter((email): email is string => typeof email === "string" && parseEmail(email) === email)
      .slice(0, maxRecentUsers);
  } catch {
    return [];
  }
}
