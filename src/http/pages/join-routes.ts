import type { IncomingMessage, ServerResponse } from "node:http";
import type { Person } from "#domain/caller.ts";
import type { ApprovalRule, Role } from "#domain/policy.ts";
import { acceptInvitation, describeInvitation, findJoinedStudio } from "#domain/studios/invitations.ts";
import { hours } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { Route } from "../server.ts";
import { buildLoginUrl, createFormToken, formExpiredError, readForm, readFormToken } from "./form.ts";
import { createPageHandler, redirectSeeOther, type PageContext } from "./page-handler.ts";
import { html, renderAccountDetails, renderPage, sendPage, withArticle, type Html, type RenderedPage } from "./page.ts";

/** `/join/<token>`: the page of an invitation link. */
export function createJoinRoutes({ deps, loginUrl, sessions }: PageContext): Route[] {
  const { baseUrl: base, signer } = deps;
  const loginPath = new URL(loginUrl).pathname;
  const getToken = (req: IncomingMessage) => new URL(req.url ?? "/", base).pathname.slice("/join/".length);

  async function handleGet(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = getToken(req);
    const path = `/join/${token}`;
    const webUser = await sessions.find(req.headers.cookie);
    const user = webUser?.user;
    const switchAccountUrl = buildLoginUrl(loginPath, path, true);
    const joinedStudio = webUser && (await findJoinedStudio(deps, webUser, { token }));
    if (user && joinedStudio) return sendPage(res, renderAlreadyMemberPage(joinedStudio, user, switchAccountUrl));
    const invitation = await describeInvitation(deps, user, { token }).catch(undefinedIfNotFound);
    if (!invitation) return sendPage(res, renderInvitationEndedPage(user ? undefined : buildLoginUrl(loginPath, path)));
    if (user && !invitation.isForUser) return sendPage(res, renderWrongEmailPage(user, switchAccountUrl));
    const nextStep = user
      ? renderJoinForm(user, path, createFormToken(signer, user, path, deps.clock() + hours(1)), switchAccountUrl)
      : renderSignInStep(buildLoginUrl(loginPath, path), invitation.hasEmail);
    return sendPage(res, renderJoinPage(invitation, nextStep));
  }

  async function handlePost(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const token = getToken(req);
    const path = `/join/${token}`;
    const form = await readForm(req);
    const webUser = await sessions.find(req.headers.cookie);
    if (!webUser) return redirectSeeOther(res, buildLoginUrl(loginPath, path));
    if (readFormToken(signer, form.get("form"), webUser.user) !== path)
      throw formExpiredError("Open the invitation link again.");
    const membership = await acceptInvitation(deps, webUser, { token }).catch(undefinedIfNotFound);
    // After a repeated submission the invitation is already used. The page then shows whether the user is a member.
    return redirectSeeOther(res, membership ? `/studios/${membership.studioId}` : path);
  }

  return [
    { path: "/join/*", originRule: "own", handle: createPageHandler(base, { GET: handleGet, POST: handlePost }) },
  ];
}

function undefinedIfNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === "not_found") return undefined;
  throw error;
}

/** Completes "You can …". The members page of the web app describes the same roles. */
const roleDescriptions: Record<Exclude<Role, "member">, string> = {
  owner: "do everything in the studio, including managing owners, transferring ownership and deleting the studio",
  admin: "do everything a member can, and manage members, AI clients, platforms and settings",
};

const memberDescriptions: Record<ApprovalRule, string> = {
  clients: "work on posts and files, publish, and approve what AI clients and other members propose",
  everyone: "work on posts and files, and propose publications, which owners and admins approve",
};

function renderJoinPage(
  invitation: { studioName: string; creatorName: string; role: Role; approval: ApprovalRule },
  nextStep: Html,
): RenderedPage {
  const { studioName, creatorName, role, approval } = invitation;
  const abilities = role === "member" ? memberDescriptions[approval] : roleDescriptions[role];
  return renderPage({
    title: "Join a studio",
    body: html`<h1>Join ${studioName}</h1>
      <p>${creatorName} invited you as ${withArticle(role)}. You can ${abilities}.</p>
      ${nextStep}`,
  });
}

const renderSignInStep = (loginUrl: string, hasEmail: boolean): Html =>
  html`${hasEmail && html`<p>Sign in with the email that this link was created for.</p>`}
    <p class="actions"><a class="button" href="${loginUrl}">Sign in to join</a></p>`;

const renderJoinForm = (user: Person, path: string, formToken: string, switchAccountUrl: string): Html =>
  html`${renderAccountDetails(user)}
    <form method="post" action="${path}">
      <input type="hidden" name="form" value="${formToken}" />
      <p class="actions">
        <button type="submit">Join</button>
        <a class="button secondary" href="${switchAccountUrl}">Use another account</a>
      </p>
    </form>`;

function renderWrongEmailPage(user: Person, switchAccountUrl: string): RenderedPage {
  return renderPage({
    status: 403,
    title: "Wrong account",
    body: html`<h1>This invitation is for another email</h1>
      <p>Sign in with the email it was created for, or ask for a new link.</p>
      ${renderAccountDetails(user)}
      <p class="actions"><a class="button" href="${switchAccountUrl}">Use another account</a></p>`,
  });
}

function renderAlreadyMemberPage(
  studio: { id: string; name: string },
  user: Person,
  switchAccountUrl: string,
): RenderedPage {
  return renderPage({
    title: "You’re already a member",
    body: html`<h1>You’re already a member of ${studio.name}</h1>
      ${renderAccountDetails(user)}
      <p class="actions">
        <a class="button" href="/studios/${studio.id}">Go to the studio</a>
        <a class="button secondary" href="${switchAccountUrl}">Use another account</a>
      </p>`,
  });
}

/** Offers `loginUrl` to signed-out users, because they may already be members. */
function renderInvitationEndedPage(loginUrl: string | undefined): RenderedPage {
  return renderPage({
    status: 404,
    title: "Invitation not valid",
    body: html`<h1>This invitation doesn’t work</h1>
      <p>It may have expired or been used or revoked, or the link may be incomplete.</p>
      <p>Ask the person who invited you for a new link.</p>
      ${
        loginUrl === undefined
          ? html`<p class="actions"><a class="button" href="/">Go to the home page</a></p>`
          : html`<p>Already a member? Sign in to open the studio.</p>
              <p class="actions"><a class="button" href="${loginUrl}">Sign in</a></p>`
      }`,
  });
}
