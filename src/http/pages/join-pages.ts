import type { Person } from "#domain/caller.ts";
import type { Role } from "#domain/policy.ts";
import { renderAccountDetails } from "./login-pages.ts";
import { html, renderPage, type RenderedPage } from "./page.ts";

export interface JoinPageOptions {
  invitation: { studioName: string; role: Role };
  path: string;
  user: Person | undefined;
  formToken: string | undefined;
  loginUrl: string;
  switchAccountUrl: string;
}

/** What each role can do, in the words a newcomer needs. */
const roleDescriptions: Record<Role, string> = {
  owner: "work on posts, manage everyone in the studio, and hand it over",
  admin: "work on posts, connect platforms and manage members",
  member: "work on posts and their files",
};

export function renderJoinPage({
  invitation,
  path,
  user,
  formToken,
  loginUrl,
  switchAccountUrl,
}: JoinPageOptions): RenderedPage {
  const { studioName, role } = invitation;
  return renderPage({
    title: "Join a studio",
    body: html`<h1>Join ${studioName}</h1>
      <p>You are invited as <strong>${role}</strong>: you can ${roleDescriptions[role]}.</p>
      ${
        user
          ? html`${renderAccountDetails(user)}
              <form method="post" action="${path}">
                <input type="hidden" name="form" value="${formToken}" />
                <p class="actions">
                  <button type="submit">Join</button>
                  <a class="button secondary" href="${switchAccountUrl}">Use another account</a>
                </p>
              </form>`
          : html`<p class="actions"><a class="button" href="${loginUrl}">Sign in to join</a></p>`
      }`,
  });
}

export function renderWrongEmailPage(user: Person, switchAccountUrl: string): RenderedPage {
  return renderPage({
    status: 403,
    title: "Another address",
    body: html`<h1>This invitation is for another address</h1>
      <p>Sign in with the address it was sent to, or ask for a new link.</p>
      ${renderAccountDetails(user)}
      <p class="actions"><a class="button" href="${switchAccountUrl}">Use another account</a></p>`,
  });
}

export function alreadyMemberPage(
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

/** `signInAddress` for someone who is not signed in: as a member they are led to the studio from here. */
export function renderInvitationEndedPage(signInAddress: string | undefined): RenderedPage {
  return renderPage({
    status: 404,
    title: "Invitation",
    body: html`<h1>This invitation doesn’t work</h1>
      <p>It was already used, was withdrawn or has expired, or the link may be incomplete.</p>
      <p class="hint">Ask the person who invited you for a new link.</p>
      ${
        signInAddress === undefined
          ? html`<p><a href="/">Go to the start page</a></p>`
          : html`<p>Already a member? <a href="${signInAddress}">Sign in</a></p>`
      }`,
  });
}
