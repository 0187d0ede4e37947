import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { createSessions } from "#auth/sign-in.ts";
import type { Caller } from "#domain/caller.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { revokeInvitation } from "#domain/studios/invitation.ts";
import { days } from "#lib/clock.ts";
import {
  createHttpBrowser,
  signIn,
  signInFromPage,
  type HttpBrowser,
  type LoadedPage,
} from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
import { startIssuer, type TestIssuer } from "../support/oidc-issuer.ts";
import { startSignInServer, type SignInServer } from "../support/sign-in-server.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { createInvitationToken, newStudio } from "../support/users.ts";

forEachEngine("who may sign in, and joining by invitation", (fixture) => {
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

  const who = (browser: HttpBrowser) =>
    createSessions({ deps: fixture.deps, base }).find(browser.cookies.header(new URL(base)));
  const users = async () => (await fixture.database.q.selectFrom("users").select("id").execute()).length;
  const role = async (browser: HttpBrowser) => {
    const user = await who(browser);
    return user && (await fixture.deps.memberships.find(owner.studio.id, user.id))?.role;
  };
  const tryFrom = async (browser: HttpBrowser, path: string, email: string): Promise<LoadedPage> =>
    signInFromPage(browser, await browser.open(`${base}/login?return_to=${encodeURIComponent(path)}`), email);
  /** An invitation's token for tests that take `/join/<token>`. */
  const token = (given?: string) => createInvitationToken(fixture.deps, owner, "member", given);

  it("verified addresses and domains on the list may sign in, whatever their case (SIGN-5)", async () => {
    for (const email of ["ada@example.com", "ADA@Example.Com", "grace@studio.example", "mary@STUDIO.example"]) {
      assert.equal((await who(await signIn(base, email)))?.email, email);
    }
  });

  it("anyone else gets a clear page, and nothing of them is stored", async () => {
    const before = await users();
    const strangers = [
      "eve@example.com",
      "ada@example.com.evil.example",
      "x@notstudio.example",
      "x@sub.studio.example",
      "studio.example@evil.example",
      "ada@example.co",
    ];
    for (const email of [...strangers, "mary@\u017ftudio.example", "\u212aada@example.com"]) {
      const browser = createHttpBrowser();
      const page = await tryFrom(browser, "/", email);
      assert.equal(page.status, 403, email);
      assert.match(page.text, /may not sign in here/);
      assert.match(page.text, /Try again/);
      assert.equal(browser.cookies.get("atelier"), undefined);
    }
    issuer.setClaims("nobody", { sub: "nobody" });
    assert.equal((await tryFrom(createHttpBrowser(), "/", "nobody")).status, 403);
    assert.equal(await users(), before);
  });

  it("an address that was not verified is on no list (A24)", async () => {
    const before = await users();
    for (const verdict of [false, "true", 1, undefined]) {
      issuer.setClaims("loose", { sub: "loose", email: "ada@example.com", email_verified: verdict });
      const page = await tryFrom(createHttpBrowser(), "/", "loose");
      assert.equal(page.status, 403);
      assert.match(page.text, /email is not verified/);
    }
    assert.equal(await users(), before);
  });

  it("an invitation lets someone in who is on no list, and they stay in after accepting it (SIGN-6)", async () => {
    const path = `/join/${await token()}`;
    const browser = createHttpBrowser();
    const offer = await browser.open(base + path);
    assert.match(offer.text, /Join Atelier &#60;b&#62;Nord&#60;\/b&#62;/);
    assert.equal(offer.forms.length, 0);
    assert.match(offer.text, new RegExp(`href="/login\\?return_to=${encodeURIComponent(path)}"`));
    const page = await tryFrom(browser, path, "guest@elsewhere.example");
    assert.equal(page.url.pathname, path);
    assert.deepEqual(
      page.forms.map(({ buttons }) => buttons),
      [["Join"]],
    );
    const done = await browser.submit(page);
    assert.match(done.url.pathname, /^\/studios\/std_\w+$/, "where they were invited to");
    assert.equal(await role(browser), "member");
    assert.equal(await role(await signIn(base, "guest@elsewhere.example")), "member");
    const stranger = await createHttpBrowser().open(base + path);
    assert.equal(stranger.status, 404);
    assert.match(stranger.text, /already used/);
    assert.doesNotMatch(stranger.text, /Nord/);
  });

  it("a used invitation leads the person who used it to the studio, signed in or not (INVITE-2, SIGN-6)", async () => {
    const path = `/join/${await token()}`;
    const browser = createHttpBrowser();
    const offer = await tryFrom(browser, path, "again@elsewhere.example");
    await browser.submit(offer);
    const page = await browser.open(base + path);
    assert.equal(page.status, 200);
    assert.match(page.text, /already a member of Atelier &#60;b&#62;Nord/);
    assert.match(page.text, new RegExp(`href="/studios/${owner.studio.id}"`));
    assert.equal(page.forms.length, 0);
    const twice = await browser.submit(offer);
    assert.equal(twice.url.pathname, path, "the form sent again");
    assert.match(twice.text, /already a member/);

    const signedOut = createHttpBrowser();
    assert.match((await signedOut.open(base + path)).text, /Already a member\? <a href="\/login\?return_to=%2Fjoin/);
    const back = await tryFrom(signedOut, path, "again@elsewhere.example");
    assert.match(back.text, /already a member/);

    const other = await (await signIn(base, "ada@example.com")).open(base + path);
    assert.equal(other.status, 404, "who is no member learns nothing of the studio");
    assert.doesNotMatch(other.text, /Nord/);
    await removeMember(fixture.deps, owner, { userId: (await who(browser))!.id });
    assert.equal((await browser.open(base + path)).status, 404, "nor who was one");
  });

  it("a user admitted only by an invitation creates no studio: not before accepting, not as a member or owner, not once removed (T6, T3)", async () => {
    const found = async (browser: HttpBrowser, name: string) => {
      const sent = await browser.send(`${base}/api/studios`, {
        method: "POST",
        headers: { origin: base, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      return { status: sent.status, body: (await sent.json()) as { code?: string; hint?: string } };
    };
    const browser = createHttpBrowser();
    const page = await tryFrom(browser, `/join/${await token()}`, "founder@elsewhere.example");
    const early = await found(browser, "Too early");
    assert.equal(early.status, 403);
    assert.equal(early.body.code, "forbidden");
    assert.match(early.body.hint ?? "", /invitation/);
    await browser.submit(page);
    assert.equal((await found(browser, "As a member")).body.code, "forbidden");
    await changeRole(fixture.deps, owner, { userId: (await who(browser))!.id, role: "owner" });
    const asOwner = await found(browser, "As an owner");
    assert.deepEqual([asOwner.status, asOwner.body.code], [403, "forbidden"]);
    assert.match(asOwner.body.hint ?? "", /operator/);

    const gone = createHttpBrowser();
    await gone.submit(await tryFrom(gone, `/join/${await token()}`, "gone@elsewhere.example"));
    await removeMember(fixture.deps, owner, { userId: (await who(gone))!.id });
    assert.equal((await found(gone, "Too late")).status, 403, "their session lives on, and leads nowhere");
    assert.equal((await found(await signIn(base, "ada@example.com"), "Ada's")).status, 201);
  });

  it("an invitation that was used, withdrawn, or has expired admits nobody (T6)", async () => {
    const used = await token();
    const browser = createHttpBrowser();
    await browser.submit(await tryFrom(browser, `/join/${used}`, "first@elsewhere.example"));
    const withdrawn = await token();
    const [latest] = await fixture.deps.invitations.listOpen(owner.studio.id, fixture.clock());
    await revokeInvitation(fixture.deps, owner, { invitationId: latest!.id });
    const expired = await token();
    fixture.clock.advance(days(7));
    for (const gone of [used, withdrawn, expired, "made-up", "a/b", "%00", "x".repeat(5000)]) {
      const before = await users();
      assert.equal((await createHttpBrowser().open(`${base}/join/${gone}`)).status, 404, gone.slice(0, 50));
      const page = await tryFrom(createHttpBrowser(), `/join/${gone}`, "second@elsewhere.example");
      assert.equal(page.status, 403);
      assert.equal(await users(), before);
    }
  });

  it("an invitation for an address admits that verified address only (T6, INVITE-3)", async () => {
    const path = `/join/${await token("Named@elsewhere.example".toLowerCase())}`;
    const before = await users();
    const wrong = await tryFrom(createHttpBrowser(), path, "other@elsewhere.example");
    assert.equal(wrong.status, 403);
    assert.match(wrong.text, /invitation is for another email/);
    assert.doesNotMatch(wrong.text, /named@/);
    issuer.setClaims("loose", { sub: "loose", email: "named@elsewhere.example", email_verified: false });
    assert.equal((await tryFrom(createHttpBrowser(), path, "loose")).status, 403);
    assert.equal(await users(), before);

    const ada = await signIn(base, "ada@example.com");
    const page = await ada.open(base + path);
    assert.equal(page.status, 403);
    assert.match(page.text, /for another email/);
    assert.match(page.text, /ada@example\.com/);

    const browser = createHttpBrowser();
    await browser.submit(await tryFrom(browser, path, "NAMED@elsewhere.example"));
    assert.equal(await role(browser), "member");
  });

  it("someone removed from the studio that invited them is out", async () => {
    const browser = createHttpBrowser();
    await browser.submit(await tryFrom(browser, `/join/${await token()}`, "leaver@elsewhere.example"));
    await removeMember(fixture.deps, owner, { userId: (await who(browser))!.id });
    assert.equal((await tryFrom(createHttpBrowser(), "/", "leaver@elsewhere.example")).status, 403);
  });

  it("a form of another site, of another person or of another invitation joins nobody (W1)", async () => {
    const path = `/join/${await token()}`;
    const browser = await signIn(base, "ada@example.com");
    const page = await browser.open(base + path);
    const form = page.forms[0]!.fields["form"]!;
    const grace = await signIn(base, "grace@studio.example");
    const post = (one: HttpBrowser, to: string, value: string | undefined, headers: Record<string, string> = {}) =>
      one.send(base + to, {
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
    assert.equal((await post(browser, `/join/${await token()}`, form)).status, 403);
    const signedOut = await post(createHttpBrowser(), path, form);
    assert.match(signedOut.headers.get("location") ?? "", /^\/login\?return_to=/);
    assert.equal(await role(browser), undefined);
    assert.equal((await post(browser, path, form)).status, 303);
    assert.equal(await role(browser), "member");
  });

  it("someone who is a member already is told so, and the link stays good", async () => {
    const path = `/join/${await token()}`;
    const browser = createHttpBrowser();
    await browser.submit(await tryFrom(browser, `/join/${await token()}`, "twice@studio.example"));
    const page = await browser.open(base + path);
    assert.match(page.text, /already a member/);
    assert.match(page.text, new RegExp(`href="/studios/${owner.studio.id}"`));
    assert.equal(page.forms.length, 0);
    assert.equal((await createHttpBrowser().open(base + path)).status, 200);
  });
});
