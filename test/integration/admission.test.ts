import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createSessions } from "#auth/sign-in.ts";
import type { Caller } from "#domain/caller.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { revokeInvitation } from "#domain/studios/invitations.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { days } from "#lib/clock.ts";
import {
  createHttpBrowser,
  signIn,
  signInFromPage,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forOneEngine } from "../support/engines.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { createInvitationToken, newStudio } from "../support/users.ts";

forOneEngine("sign-in allowlist and invitations", (fixture) => {
  let server: SignInServer;
  let issuer: TestIssuer;
  let base: string;
  let owner: Caller;

  before(async () => {
    base = await findFreeBaseUrl();
    issuer = await startIssuer({ redirectUris: [`${base}/api/auth/callback/oidc`] });
    const signInAllow = ["ada@example.com", "@studio.example"];
    server = await startSignInServer({ deps: fixture.deps, base, identityProviders: [issuer.settings], signInAllow });
    owner = await newStudio(fixture.deps, undefined, "Atelier <b>Nord</b>");
  });
  after(async () => {
    await server.close();
    await issuer.close();
  });

  const findUser = async (browser: HttpBrowser) =>
    (await createSessions({ deps: fixture.deps, base }).find(browser.cookies.header(new URL(base))))?.user;
  const countUsers = async () => (await fixture.database.q.selectFrom("users").select("id").execute()).length;
  const findRole = async (browser: HttpBrowser) => {
    const user = await findUser(browser);
    return user && (await fixture.deps.memberships.find(owner.studio.id, user.id))?.role;
  };
  const signInAndReturn = async (browser: HttpBrowser, path: string, email: string): Promise<LoadedPage> =>
    signInFromPage(browser, await browser.open(`${base}/login?return_to=${encodeURIComponent(path)}`), email);
  const createToken = (email?: string) => createInvitationToken(fixture.deps, owner, "member", email);

  it("users with a verified email or domain on the allowlist may sign in, regardless of case (SIGN-5)", async () => {
    for (const email of ["ada@example.com", "ADA@Example.Com", "grace@studio.example", "mary@STUDIO.example"])
      assert.equal((await findUser(await signIn(base, email)))?.email, email);
  });

  it("other users see why they may not sign in, and are not stored", async () => {
    const userCount = await countUsers();
    const strangers = ["eve@example.com", "ada@example.com.evil.example", "ada@example.co", "x@notstudio.example"];
    const lookalikes = ["x@sub.studio.example", "studio.example@evil.example", "mary@\u017ftudio.example"];
    for (const email of [...strangers, ...lookalikes, "\u212aada@example.com"]) {
      const browser = createHttpBrowser();
      const page = await signInAndReturn(browser, "/", email);
      assert.equal(page.status, 403, email);
      assert.match(page.text, /may not sign in here/);
      assert.match(page.text, /Try again/);
      assert.equal(browser.cookies.get("atelier"), undefined);
    }
    issuer.setClaims("no-email", { sub: "no-email" });
    assert.equal((await signInAndReturn(createHttpBrowser(), "/", "no-email")).status, 403);
    assert.equal(await countUsers(), userCount);
  });

  it("an unverified email never matches the allowlist (A24)", async () => {
    const userCount = await countUsers();
    for (const emailVerified of [false, "true", 1, undefined]) {
      issuer.setClaims("unverified", { sub: "unverified", email: "ada@example.com", email_verified: emailVerified });
      const page = await signInAndReturn(createHttpBrowser(), "/", "unverified");
      assert.equal(page.status, 403);
      assert.match(page.text, /email is not verified/);
    }
    assert.equal(await countUsers(), userCount);
  });

  it("an invitation admits a user who is not on the allowlist, and they can sign in again after accepting it (SIGN-6)", async () => {
    const path = `/join/${await createToken()}`;
    const browser = createHttpBrowser();
    const joinPage = await browser.open(base + path);
    assert.match(joinPage.text, /Join Atelier &#60;b&#62;Nord&#60;\/b&#62;/);
    assert.ok(
      joinPage.text.includes(
        `${owner.user.name} invited you as a member. You can work on posts and files, publish, and approve what AI`,
      ),
    );
    await updateStudio(fixture.deps, owner, { approval: "everyone" });
    assert.match((await browser.open(base + path)).text, /propose publications, which owners and admins approve/);
    assert.equal(joinPage.forms.length, 0);
    assert.match(joinPage.text, new RegExp(`href="/login\\?return_to=${encodeURIComponent(path)}"`));
    const page = await signInAndReturn(browser, path, "guest@elsewhere.example");
    assert.equal(page.url.pathname, path);
    assert.deepEqual(
      page.forms.map(({ buttons }) => buttons),
      [["Join"]],
    );
    const studioPage = await browser.submit(page);
    assert.match(studioPage.url.pathname, /^\/studios\/std_\w+$/, "the studio that invited them");
    assert.equal(await findRole(browser), "member");
    assert.equal(await findRole(await signIn(base, "guest@elsewhere.example")), "member");
    const stranger = await createHttpBrowser().open(base + path);
    assert.equal(stranger.status, 404);
    assert.match(stranger.text, /expired or been used/);
    assert.doesNotMatch(stranger.text, /Nord/);
  });

  it("a used invitation leads the user who accepted it to the studio, signed in or not (INVITE-2, SIGN-6)", async () => {
    const path = `/join/${await createToken()}`;
    const browser = createHttpBrowser();
    const joinPage = await signInAndReturn(browser, path, "again@elsewhere.example");
    await browser.submit(joinPage);
    const page = await browser.open(base + path);
    assert.equal(page.status, 200);
    assert.match(page.text, /already a member of Atelier &#60;b&#62;Nord/);
    assert.match(page.text, new RegExp(`href="/studios/${owner.studio.id}"`));
    assert.equal(page.forms.length, 0);
    const resubmitted = await browser.submit(joinPage);
    assert.equal(resubmitted.url.pathname, path, "submitting the form again shows the same page");
    assert.match(resubmitted.text, /already a member/);

    const otherBrowser = createHttpBrowser();
    const endedPage = (await otherBrowser.open(base + path)).text;
    assert.match(endedPage, /Already a member\?/);
    assert.match(endedPage, /<a class="button" href="\/login\?return_to=%2Fjoin/);
    const signedInAgain = await signInAndReturn(otherBrowser, path, "again@elsewhere.example");
    assert.match(signedInAgain.text, /already a member/);

    const other = await (await signIn(base, "ada@example.com")).open(base + path);
    assert.equal(other.status, 404, "a user who is not a member learns nothing about the studio");
    assert.doesNotMatch(other.text, /Nord/);
    await removeMember(fixture.deps, owner, { userId: (await findUser(browser))!.id });
    assert.equal((await browser.open(base + path)).status, 404, "a former member learns nothing about the studio");
  });

  it("a user admitted only by an invitation cannot create a studio before accepting it, as a member or owner, or after removal (T6, T3)", async () => {
    const createStudio = async (browser: HttpBrowser, name: string) => {
      const response = await browser.send(`${base}/api/studios`, {
        method: "POST",
        headers: { origin: base, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      return { status: response.status, body: (await response.json()) as { code?: string; hint?: string } };
    };
    const browser = createHttpBrowser();
    const page = await signInAndReturn(browser, `/join/${await createToken()}`, "founder@elsewhere.example");
    const earlyResponse = await createStudio(browser, "Too early");
    assert.equal(earlyResponse.status, 403);
    assert.equal(earlyResponse.body.code, "forbidden");
    assert.match(earlyResponse.body.hint ?? "", /invitation/);
    await browser.submit(page);
    assert.equal((await createStudio(browser, "As a member")).body.code, "forbidden");
    await changeRole(fixture.deps, owner, { userId: (await findUser(browser))!.id, role: "owner" });
    const asOwner = await createStudio(browser, "As an owner");
    assert.deepEqual([asOwner.status, asOwner.body.code], [403, "forbidden"]);
    assert.match(asOwner.body.hint ?? "", /operator/);

    const removedBrowser = createHttpBrowser();
    await removedBrowser.submit(
      await signInAndReturn(removedBrowser, `/join/${await createToken()}`, "removed@elsewhere.example"),
    );
    await removeMember(fixture.deps, owner, { userId: (await findUser(removedBrowser))!.id });
    assert.equal(
      (await createStudio(removedBrowser, "Too late")).status,
      403,
      "their session is still valid, but has no studio",
    );
    const againPage = await signInAndReturn(createHttpBrowser(), "/", "removed@elsewhere.example");
    assert.equal(againPage.status, 403, "nor can they sign in again");
    assert.equal((await createStudio(await signIn(base, "ada@example.com"), "Ada's")).status, 201);
  });

  it("a used, revoked or expired invitation admits no user (T6)", async () => {
    const assertAdmitsNoUser = async (token: string) => {
      const userCount = await countUsers();
      assert.equal((await createHttpBrowser().open(`${base}/join/${token}`)).status, 404, token.slice(0, 50));
      const page = await signInAndReturn(createHttpBrowser(), `/join/${token}`, "second@elsewhere.example");
      assert.equal(page.status, 403);
      assert.equal(await countUsers(), userCount);
    };
    const usedToken = await createToken();
    const browser = createHttpBrowser();
    await browser.submit(await signInAndReturn(browser, `/join/${usedToken}`, "first@elsewhere.example"));
    const revokedToken = await createToken();
    const [newestInvitation] = await fixture.deps.invitations.listOpen(owner.studio.id, fixture.clock(), 1);
    await revokeInvitation(fixture.deps, owner, { invitationId: newestInvitation!.id });
    for (const token of [usedToken, revokedToken, "made-up", "a/b", "%00", "x".repeat(5000)])
      await assertAdmitsNoUser(token);
    const expiredToken = await createToken();
    fixture.clock.advance(days(7));
    await assertAdmitsNoUser(expiredToken);
  });

  it("an invitation for an email admits only users with that verified email (T6, INVITE-3)", async () => {
    const path = `/join/${await createToken("Named@elsewhere.example".toLowerCase())}`;
    const userCount = await countUsers();
    const firstPage = await createHttpBrowser().open(base + path);
    assert.match(firstPage.text, /with the email that this link was created for/);
    assert.doesNotMatch(firstPage.text, /named@/);
    const rejectedPage = await signInAndReturn(createHttpBrowser(), path, "other@elsewhere.example");
    assert.equal(rejectedPage.status, 403);
    assert.match(rejectedPage.text, /invitation is for another email/);
    assert.doesNotMatch(rejectedPage.text, /named@/);
    issuer.setClaims("unverified", { sub: "unverified", email: "named@elsewhere.example", email_verified: false });
    assert.equal((await signInAndReturn(createHttpBrowser(), path, "unverified")).status, 403);
    assert.equal(await countUsers(), userCount);

    const ada = await signIn(base, "ada@example.com");
    const page = await ada.open(base + path);
    assert.equal(page.status, 403);
    assert.match(page.text, /for another email/);
    assert.match(page.text, /ada@example\.com/);

    const browser = createHttpBrowser();
    await browser.submit(await signInAndReturn(browser, path, "NAMED@elsewhere.example"));
    assert.equal(await findRole(browser), "member");
  });

  it("rejects a join form from another site, another user or another invitation (W1)", async () => {
    const path = `/join/${await createToken()}`;
    const browser = await signIn(base, "ada@example.com");
    const page = await browser.open(base + path);
    const form = page.forms[0]!.fields["form"]!;
    const grace = await signIn(base, "grace@studio.example");
    const post = (from: HttpBrowser, to: string, value: string | undefined, headers: Record<string, string> = {}) =>
      from.send(base + to, {
        method: "POST",
        headers,
        body: new URLSearchParams(value === undefined ? {} : { form: value }),
      });
    for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }] as Record<
      string,
      string
    >[]) {
      assert.equal((await post(browser, path, form, headers)).status, 403);
    }
    for (const value of [undefined, "", "x.y", `${form}x`])
      assert.equal((await post(browser, path, value)).status, 403);
    assert.equal((await post(grace, path, form)).status, 403);
    assert.equal((await post(browser, `/join/${await createToken()}`, form)).status, 403);
    const signedOutResponse = await post(createHttpBrowser(), path, form);
    assert.match(signedOutResponse.headers.get("location") ?? "", /^\/login\?return_to=/);
    assert.equal(await findRole(browser), undefined);
    assert.equal((await post(browser, path, form)).status, 303);
    assert.equal(await findRole(browser), "member");
  });
});
