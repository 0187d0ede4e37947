import assert from "node:assert/strict";
import { test } from "node:test";
import { getMailSettings } from "#domain/mail/mail-settings.ts";
import { createUnsubscribeUrl } from "#domain/steps/unsubscribe-links.ts";
import type { MailMessage } from "#domain/model/mail.ts";
import { seconds } from "#lib/clock.ts";
import { startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { startMailServer } from "../support/mail-server.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newStudio } from "../support/users.ts";

forOneEngine("unsubscribe links", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));

  async function newLink() {
    const owner = await newStudio(server.deps);
    const claims = { userId: owner.user.id, studioId: owner.studio.id, type: "approval" } as const;
    const { pathname } = new URL(createUnsubscribeUrl(server.deps, claims));
    const readFrequency = async () => (await getMailSettings(server.deps, owner)).frequencies.approval;
    return { owner, url: server.base + pathname, readFrequency };
  }

  test("a mail scanner that opens the link ends nothing; the form on its page does (MAIL-5, F14)", async () => {
    const { owner, url, readFrequency } = await newLink();
    for (const method of ["GET", "HEAD"]) assert.equal((await fetch(url, { method })).status, 200);
    assert.equal(await readFrequency(), "at_once");
    const page = await (await fetch(url)).text();
    assert.ok(page.includes(`Stop emails about posts that wait for your approval in ${owner.studio.name}?`));
    const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? "";
    const response = await fetch(server.base + action, { method: "POST", body: new URLSearchParams() });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /You get no more emails about posts/);
    assert.equal(await readFrequency(), "never");
  });

  test("a mail program ends the emails with one POST, without a cookie and from any origin (MAIL-5)", async () => {
    for (const body of [new URLSearchParams({ "List-Unsubscribe": "One-Click" }), new FormData(), undefined]) {
      const { url, readFrequency } = await newLink();
      const headers = { origin: "https://mail.example.com" };
      assert.equal((await fetch(url, { method: "POST", headers, ...(body ? { body } : {}) })).status, 200);
      assert.equal(await readFrequency(), "never");
    }
  });

  test("rejects a link that was changed or is a year old (MAIL-5, F14)", async () => {
    const { url, readFrequency } = await newLink();
    for (const changed of [url.slice(0, -1), url.replace("/unsubscribe/", "/unsubscribe/x"), `${url}/x`])
      assert.equal((await fetch(changed, { method: "POST" })).status, 404);
    fixture.clock.advance(seconds(365 * 24 * 60 * 60));
    assert.equal((await fetch(url, { method: "POST" })).status, 404);
    assert.equal(await readFrequency(), "at_once");
  });
});

const message: MailMessage = {
  id: "eml_1",
  to: "ada@example.com",
  content: { kind: "test", studioName: "Studio" },
  settingsUrl: undefined,
  unsubscribeUrl: undefined,
};

test("signs in to the mail server with the user and password of SMTP_URL (MAIL-6)", async () => {
  const server = await startMailServer({
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, callback) =>
      callback(null, username === "a@b" && password === "p:w" ? { user: "a" } : {}),
  });
  const credentials = { user: "a@b", pass: "p:w" };
  assert.equal(await server.newMailer({ credentials }).send(message), null);
  assert.equal(server.received[0]?.to[0], "ada@example.com");
  const wrong = server.newMailer({ credentials: { ...credentials, pass: "x" } });
  assert.equal(await wrong.send(message), "sign_in");
  assert.equal(await wrong.check(), "sign_in");
  await server.close();
});

test("sends no password to a server that does not offer encryption, if it is required (MAIL-6)", async () => {
  let isPasswordSent = false;
  const server = await startMailServer({
    allowInsecureAuth: true,
    onAuth(_auth, _session, callback) {
      isPasswordSent = true;
      callback(null, { user: "a" });
    },
  });
  const mailer = server.newMailer({ startTls: "required", credentials: { user: "a", pass: "b" } });
  assert.equal(await mailer.send(message), "unreachable");
  assert.equal(isPasswordSent, false);
  await server.close();
});

test("encrypts with STARTTLS, and trusts only known certificates (MAIL-6)", async () => {
  const server = await startMailServer({ disabledCommands: [] });
  assert.equal(await server.newMailer({ startTls: "required" }).send(message), "unreachable");
  assert.deepEqual(server.received, []);
  await server.close();
});
