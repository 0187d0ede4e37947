import type { IncomingMessage, ServerResponse } from "node:http";
import type { SignIn } from "#auth/sign-in.ts";
import type { Person } from "#domain/caller.ts";
import { AppError, hintFor } from "#lib/errors.ts";
import { errorHints } from "../error-hints.ts";
import { assertSameOrigin } from "../guards.ts";
import { routeNotFoundError } from "../problem.ts";
import type { Route } from "../server.ts";
import { buildLoginUrl, readForm, sanitizeReturnTo } from "./form.ts";
import { createPageHandler, redirectSeeOther, type PageContext } from "./page-handler.ts";
import { html, renderAccountDetails, renderErrorPage, renderPage, sendPage, type RenderedPage } from "./page.ts";

const callbackPath = "/api/auth/callback/";

/** The sign-in page, and the URL to which identity providers redirect the user. */
export function createLoginRoutes({ deps, loginUrl, sessions, limitRate }: PageContext, signIn: SignIn): Route[] {
  const base = deps.baseUrl;
  const loginPath = new URL(loginUrl).pathname;

  async function handleLoginPage(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const query = new URL(req.url ?? "/", base).searchParams;
    const returnTo = sanitizeReturnTo(query.get("return_to"));
    const isSwitchingAccount = query.has("switch");
    const user = isSwitchingAccount ? undefined : (await sessions.find(req.headers.cookie))?.user;
    if (user && returnTo !== "/") return redirectSeeOther(res, returnTo);
    const switchAccountUrl = buildLoginUrl(loginPath, returnTo, true);
    return sendPage(
      res,
      user
        ? renderSignedInPage(user, switchAccountUrl)
        : renderLoginPage({ loginPath, returnTo, isSwitchingAccount, providers: signIn.providers }),
    );
  }

  async function handleSignIn(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limitRate("signIn", req);
    const form = await readForm(req);
    const returnTo = sanitizeReturnTo(form.get("return_to"));
    const isSwitchingAccount = form.has("switch");
    const retryUrl = buildLoginUrl(loginPath, returnTo, isSwitchingAccount);
    const provider =
      form.get("provider") ?? (signIn.providers.length === 1 ? signIn.providers[0]?.id : undefined) ?? "";
    await withFailurePage(res, retryUrl, async () => {
      const { location, setCookie } = await signIn.start({
        provider,
        returnTo,
        isSwitchingAccount,
        cookies: req.headers.cookie,
      });
      res.setHeader("set-cookie", setCookie);
      redirectSeeOther(res, location);
    });
  }

  async function handleCallback(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limitRate("signInCallback", req);
    // The callback URL must equal the registered one, so it uses the configured base, not the Host header.
    const callback = new URL(`${base}${req.url}`);
    const provider = callback.pathname.slice(callbackPath.length);
    const { pending, setCookie } = signIn.consumePending(callback, req.headers.cookie);
    res.setHeader("set-cookie", setCookie);
    const returnTo = sanitizeReturnTo(pending?.returnTo);
    const retryUrl = pending?.linksTo === undefined ? buildLoginUrl(loginPath, returnTo, true) : returnTo;
    await withFailurePage(res, retryUrl, async () => {
      const sessionCookie = await signIn.finish({ provider, callback, pending, cookies: req.headers.cookie });
      res.setHeader("set-cookie", sessionCookie === undefined ? setCookie : [setCookie, sessionCookie]);
      redirectSeeOther(res, returnTo);
    });
  }

  const loginHandler = createPageHandler(base, { GET: handleLoginPage, POST: handleSignIn });
  return [
    ...[...new Set(["/login", loginPath])].map((path): Route => ({ path, originRule: "own", handle: loginHandler })),
    {
      path: `${callbackPath}*`,
      originRule: "own",
      logsRest: true,
      handle: createPageHandler(base, { GET: handleCallback }),
    },
  ];
}

/** Deletes the web session on the server and its cookie. Grants of AI clients stay valid. */
export function createSignOutRoute({ deps, sessions }: PageContext): Route {
  return {
    path: "/api/sign-out",
    originRule: "own",
    async handle(req, res) {
      if (req.method !== "POST") throw routeNotFoundError();
      assertSameOrigin(req, deps.baseUrl);
      const setCookie = await sessions.end(req.headers.cookie);
      res.writeHead(204, { "set-cookie": setCookie, "cache-control": "no-store" }).end();
    },
  };
}

/** Renders expected errors on a page that lets the user retry the sign-in. */
async function withFailurePage(res: ServerResponse, retryUrl: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "not_found") throw error;
    const { status, message } = error;
    const action = { text: "Try again", url: retryUrl };
    sendPage(
      res,
      renderErrorPage({ status, title: "Sign-in failed", message, hint: hintFor(error, errorHints), action }),
    );
  }
}

interface LoginPageOptions {
  loginPath: string;
  returnTo: string;
  /** The user wants a different account than the one their identity provider selects by default. */
  isSwitchingAccount: boolean;
  providers: readonly { id: string; name: string; issuer: string }[];
}

/** Why the user is signing in, by the page they return to. */
const purposeByPath: readonly (readonly [path: string, text: string])[] = [
  ["/join/", "Sign in to accept your invitation."],
  ["/consent/", "An application wants access to your studio. Sign in to review the request."],
  ["/link", "Sign in to link your company account."],
  ["/connect/", "Sign in to connect an account to your studio."],
  ["/", "Sign in to open your studios."],
];

function renderLoginPage({ loginPath, returnTo, isSwitchingAccount, providers }: LoginPageOptions): RenderedPage {
  const purpose = purposeByPath.find(([path]) => returnTo.startsWith(path))?.[1] ?? "";
  return renderPage({
    title: "Sign in",
    // Providers redirect through several of their hosts, and the browser checks form-action for each.
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

function renderSignedInPage(user: Person, switchAccountUrl: string): RenderedPage {
  return renderPage({
    title: "Signed in",
    body: html`<h1>You’re signed in</h1>
      ${renderAccountDetails(user)}
      <p class="actions">
        <a class="button" href="/">Continue</a>
        <a class="button secondary" href="${switchAccountUrl}">Use another account</a>
      </p>`,
  });
}
