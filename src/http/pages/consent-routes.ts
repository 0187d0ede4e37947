import type { IncomingMessage, ServerResponse } from "node:http";
import type { Consent, Destination, PendingConsent } from "#auth/consent.ts";
import { describeMe, type Me } from "#domain/access/me.ts";
import type { User } from "#domain/model/user.ts";
import { enforceRateLimit } from "#domain/steps/rate-limit.ts";
import type { WebUser } from "#domain/access/sessions.ts";
import type { Role } from "#domain/policy.ts";
import { minutes } from "#lib/clock.ts";
import { edgeError } from "#lib/errors.ts";
import type { Route } from "../server.ts";
import { describeAccess, getChosenScopes, getOfferedLevels } from "./client-access.ts";
import { buildLoginUrl, createFormToken, formExpiredError, readForm, readFormToken } from "./form.ts";
import { createPageHandler, redirectSeeOther, type PageContext } from "./page-handler.ts";
import { html, renderPage, sendPage, withArticle, type Html, type RenderedPage } from "./page.ts";

const formLifetime = minutes(30);

/** `/consent/<id>`: shows the client and the requested access, and handles the user's decision. */
export function createConsentRoutes({ deps, loginUrl, sessions }: PageContext, consent: Consent): Route[] {
  const { baseUrl: base, signer } = deps;

  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) {
      const { pathname } = new URL(req.url ?? "/", base);
      return redirectSeeOther(res, buildLoginUrl(new URL(loginUrl).pathname, pathname, false));
    }
    const { user } = webUser;
    await enforceRateLimit(deps, "consentPage", user.id);
    const pendingConsent = await consent.getPending(req, res);
    const studio = await findActiveStudio(webUser);
    const formToken = createFormToken(signer, user, getFormPage(pendingConsent, studio), deps.clock() + formLifetime);
    sendPage(res, renderConsentPage(pendingConsent, user, studio, formToken));
  }

  async function findActiveStudio(webUser: WebUser): Promise<Me["memberships"][number] | undefined> {
    const { memberships, activeStudioId } = await describeMe(deps, webUser);
    return memberships.find(({ studioId }) => studioId === activeStudioId);
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = await readForm(req);
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) {
      throw edgeError("forbidden", "Your session has ended.", "Go back to the application and connect again.");
    }
    const { user } = webUser;
    await enforceRateLimit(deps, "consent", user.id);
    const pendingConsent = await consent.getPending(req, res);
    // `getPending` has checked the consent cookie, which binds the request to this browser.
    const page = getPagePath(pendingConsent);
    const formPage = readFormToken(signer, form.get("token"), user);
    if (formPage?.split("?")[0] !== page) throw formExpiredError("Go back to the application and connect again.");
    const decision = form.get("decision");
    if (decision === "cancel") return consent.deny(req, res);
    if (decision !== "approve") throw edgeError("invalid_input", "Choose Approve or Cancel.");
    // If the user switched to another studio meanwhile, the page shows that one first.
    if (formPage !== page && formPage !== getFormPage(pendingConsent, await findActiveStudio(webUser)))
      return redirectSeeOther(res, page);
    return consent.grant(req, res, webUser, getChosenScopes(form.get("access"), form.get("publish")));
  }

  return [
    { path: "/consent/*", originRule: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) },
  ];
}

const getPagePath = ({ uid }: PendingConsent): string => `/consent/${uid}`;

/** What the form token is bound to: the page and the studio that it shows. */
const getFormPage = (pendingConsent: PendingConsent, studio: { studioId: string } | undefined): string =>
  getPagePath(pendingConsent) + (studio ? `?studio=${studio.studioId}` : "");

const destinationWarnings: Record<Destination["kind"], (host: string) => Html> = {
  web: () => html``,
  "this-computer": () =>
    html`<p class="warning">This is a program on this device. Approve only if you just started it yourself.</p>`,
  app: (host) =>
    html`<p class="warning">
      This is the app on this device that opens <b>${host}</b> links. Approve only if you just started it yourself.
    </p>`,
};

// The icons `TriangleAlert` and `BadgeCheck` of Lucide, which the page of AI clients shows beside the same words.
const warningIcon = renderIcon(
  html`<path d="m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3" />
    <path d="M12 9v4M12 17h.01" />`,
);
const verifiedIcon = renderIcon(
  html`<path
      d="M3.85 8.62a4 4 0 0 1 4.78-4.77 4 4 0 0 1 6.74 0 4 4 0 0 1 4.78 4.78 4 4 0 0 1 0 6.74 4 4 0 0 1-4.77 4.78 4 4 0 0 1-6.75 0 4 4 0 0 1-4.78-4.77 4 4 0 0 1 0-6.76Z"
    />
    <path d="m16 9-5.5 5.5L8 12" />`,
);

function renderIcon(paths: Html): Html {
  return html`<svg viewBox="0 0 24 24" width="14" height="14" aria-hidden="true">${paths}</svg>`;
}

/** `studio` is the user's active studio; undefined if they have none. */
function renderConsentPage(
  pendingConsent: PendingConsent,
  user: User,
  studio: Me["memberships"][number] | undefined,
  formToken: string,
): RenderedPage {
  const { client, destination } = pendingConsent;
  // A user without a studio becomes the owner of the one they create.
  const role = studio?.role ?? "owner";
  return renderPage({
    title: `Connect ${client.name}`,
    formTargets: [destination.cspSource],
    body: html`<h1>Let <q>${client.name}</q> work in your studio?</h1>
      <p class="destination">If you approve, access goes to <strong>${destination.host}</strong></p>
      ${destinationWarnings[destination.kind](destination.host)}
      <dl>
        <dt>Application</dt>
        <dd>
          ${client.name}
          ${client.verifiedHost === undefined ? html`<span class="proof unverified">${warningIcon}unverified name</span>` : html`<span class="proof verified">${verifiedIcon}verified: ${client.verifiedHost}</span>`}
        </dd>
        <dt>Account</dt>
        <dd>
          ${user.name}${user.email !== null && html` (${user.email})`}
          <a href="/login?switch=1&amp;return_to=${encodeURIComponent(`/consent/${pendingConsent.uid}`)}">Not you?</a>
        </dd>
        <dt>Studio</dt>
        <dd>
          ${studio ? html`${studio.studioName} (you’re ${withArticle(studio.role)})` : html`You have no studio yet. <a href="/" target="_blank">Create one</a> in a new tab and come back. If you approve now, access starts once you have a studio.`}
        </dd>
      </dl>
      <form method="post" action="/consent/${pendingConsent.uid}">
        <input type="hidden" name="token" value="${formToken}" />
        <fieldset>
          <legend>What it can do</legend>
          ${renderLevels(getOfferedLevels(pendingConsent.requestedScopes), role)}
        </fieldset>
        ${pendingConsent.requestedScopes.includes("studio:publish") && pendingConsent.requestedScopes.includes("studio:write") && publishChoice}
        <p class="hint">
          It acts as you, in your active studio, and can’t do more than you can. It can’t manage members or its own
          access. Access ends after 30 days without use, and at the latest 90 days after you approve it. Revoke it at
          any time under <a href="/clients">AI clients</a>.
        </p>
        <div class="actions">
          <button type="submit" name="decision" value="approve">Approve</button>
          <button type="submit" name="decision" value="cancel" class="secondary">Cancel</button>
        </div>
      </form>`,
  });
}

/** The checkbox is not checked when the page opens, even if the client requests the scope. */
const publishChoice = html`<div class="choice">
  <input type="checkbox" name="publish" id="publish" aria-describedby="publish-hint" />
  <label for="publish"><b>Publish without asking</b></label>
  <p id="publish-hint" class="hint">
    Its publications go out without a person’s approval. Leave it off to approve each one in the web app.
  </p>
</div>`;

/** A level doesn't repeat what the next, narrower one lists. */
function renderLevels(levels: ReturnType<typeof getOfferedLevels>, role: Role): Html[] {
  return levels.map(({ value, label, scopes }, i) => {
    const narrowerLevel = levels[i + 1];
    const narrowerAbilities = narrowerLevel ? describeAccess(narrowerLevel.scopes, role) : [];
    const abilities = describeAccess(scopes, role).filter((ability) => !narrowerAbilities.includes(ability));
    return html`<div class="choice">
      <input
        type="radio"
        name="access"
        id="${value}"
        value="${value}"
        aria-describedby="${value}-abilities"
        ${i === 0 && html` checked`}
      />
      <label for="${value}"><b>${label}</b></label>
      <ul id="${value}-abilities">
        ${narrowerLevel && html`<li>Everything under <i>${narrowerLevel.label}</i></li> `}
        ${abilities.map((ability) => html`<li>${ability}</li> `)}
      </ul>
    </div> `;
  });
}
