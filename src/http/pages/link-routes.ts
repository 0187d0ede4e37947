import type { IncomingMessage, ServerResponse } from "node:http";
import type { SignIn } from "#auth/sign-in.ts";
import { listLinkedIdentities, unlinkIdentity } from "#domain/access/linked-identities.ts";
import type { Person } from "#domain/caller.ts";
import { hours } from "#lib/clock.ts";
import type { Route } from "../server.ts";
import { buildLoginUrl, createFormToken, formExpiredError, readForm, readFormToken } from "./form.ts";
import { createPageHandler, redirectSeeOther, type PageContext } from "./page-handler.ts";
import { html, renderAccountDetails, renderPage, sendPage, type Html } from "./page.ts";

const linkPath = "/link";

interface LinkableAccount {
  provider: string;
  name: string;
  /** Undefined if the user has not linked an account. */
  linkedEmail: string | undefined;
}

/** `/link`: where users link their accounts at issuers of ENTERPRISE_ISSUERS. */
export function createLinkRoute({ deps, loginUrl, sessions, limitRate }: PageContext, signIn: SignIn): Route {
  const { baseUrl: base, signer, clock } = deps;
  const loginPageUrl = buildLoginUrl(new URL(loginUrl).pathname, linkPath);

  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) return redirectSeeOther(res, loginPageUrl);
    const links = await listLinkedIdentities(deps, webUser);
    const accounts = signIn.linkable.map(({ id, name, issuer }) => ({
      provider: id,
      name,
      linkedEmail: links.find((link) => link.issuer === issuer)?.email,
    }));
    const formToken = createFormToken(signer, webUser.user, linkPath, clock() + hours(1));
    const page = {
      title: "Company accounts",
      // Issuers redirect through several of their hosts, and the browser checks form-action for each.
      formTargets: signIn.linkable.map(({ issuer }) => (issuer.startsWith("https:") ? "https:" : issuer)),
      body: renderAccounts(webUser.user, accounts, formToken),
    };
    sendPage(res, renderPage(page));
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    await limitRate("signIn", req);
    const form = await readForm(req);
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) return redirectSeeOther(res, loginPageUrl);
    if (readFormToken(signer, form.get("form"), webUser.user) !== linkPath) throw formExpiredError("Reload the page.");
    const provider = form.get("provider") ?? "";
    const issuer = signIn.linkable.find(({ id }) => id === provider)?.issuer;
    if (form.get("action") === "unlink" && issuer !== undefined) {
      await unlinkIdentity(deps, webUser, { issuer });
      return redirectSeeOther(res, linkPath);
    }
    const { location, setCookie } = await signIn.start({
      provider,
      returnTo: linkPath,
      isSwitchingAccount: false,
      linksTo: webUser.user.id,
      cookies: req.headers.cookie,
    });
    res.setHeader("set-cookie", setCookie);
    redirectSeeOther(res, location);
  }

  return { path: linkPath, originRule: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) };
}

const renderAccounts = (user: Person, accounts: readonly LinkableAccount[], formToken: string): Html =>
  html`<h1>Company accounts</h1>
    ${renderAccountDetails(user)}
    <p>
      ${accounts.length === 0 && "No company manages AI clients on this server."}
      ${accounts.length > 0 && "Link your account, and the AI clients that your company manages can work for you without asking on a consent page."}
    </p>
    ${accounts.map(
      ({ provider, name, linkedEmail }) =>
        html`<form method="post" action="${linkPath}">
          <p>${name}${linkedEmail !== undefined && html`: linked as <strong>${linkedEmail}</strong>`}</p>
          <input type="hidden" name="form" value="${formToken}" />
          <input type="hidden" name="provider" value="${provider}" />
          <input type="hidden" name="action" value="${linkedEmail === undefined ? "link" : "unlink"}" />
          <button type="submit">${linkedEmail === undefined ? "Link" : "Unlink"} ${name}</button>
        </form> `,
    )}
    <p class="actions"><a class="button secondary" href="/">Back to Atelier</a></p>`;
