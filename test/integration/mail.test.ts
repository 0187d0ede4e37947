import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/comments.ts";
import { fanOut } from "#domain/jobs/fan-out.ts";
import { assertMailWorks } from "#domain/jobs/mail/mail-status.ts";
import { startMailSender } from "#domain/jobs/mail/send-mails.ts";
import { notifyUsers } from "#domain/jobs/notify.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import {
  describeSubscription,
  getMailSettings,
  sendTestMail,
  setMailFrequencies,
  unsubscribe,
} from "#domain/mail/mail-settings.ts";
import type { MailFrequencies } from "#domain/model/mail.ts";
import { listNotifications, readNotifications } from "#domain/notifications/notifications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { createInvitation, revokeInvitation } from "#domain/studios/invitations.ts";
import { removeMember } from "#domain/studios/members.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { days, hours, minutes, seconds } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { startApiServer } from "../support/api-server.ts";
import { forEachEngine, type TestDeps } from "../support/engines.ts";
import { actThroughDrafter, addPost } from "../support/history-fixture.ts";
import { startMailServer, type MailServer, type ReceivedMail } from "../support/mail-server.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

forEachEngine("emails", (fixture) => {
  const { clock } = fixture;
  const api = startForSuite(() => startApiServer(fixture.deps));
  let server: MailServer;
  let deps: TestDeps & { mailer: NonNullable<TestDeps["mailer"]> };
  before(async () => {
    server = await startMailServer();
    deps = { ...api.deps, mailer: server.newMailer() };
  });
  beforeEach(() => {
    server.received.length = 0;
    server.failAt = undefined;
  });
  after(() => server.close());

  const throwError = (error: unknown): never => {
    throw error;
  };
  const readServer = () => fixture.database.q.selectFrom("mailServers").selectAll().executeTakeFirst();

  /** Passes on all events, and sends all mails that are due now. */
  async function deliver(senderDeps = deps): Promise<ReceivedMail[]> {
    const count = server.received.length;
    await fanOut(deps, [{ read: (tx, events) => notifyUsers(deps, tx, events) }]);
    const sender = startMailSender(senderDeps, { onError: throwError, pollMs: 1 });
    const leaseEnd = clock() + seconds(30);
    const isIdle = async () => !(await deps.mails.hasDue(clock())) && (await readServer())?.lockedUntil !== leaseEnd;
    await waitUntil(isIdle, { description: "all due mails are sent" }).finally(() => sender.stop());
    return server.received.slice(count);
  }

  async function createScene() {
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const connectionId = await newConnection(deps, owner, "harbour", "sandbox");
    await deliver();
    server.received.length = 0;
    const propose = async (caller: Caller = member, title = "Spring") => {
      const { postId } = await addPost(deps, owner, { title });
      const drafter = await actThroughDrafter(deps, caller);
      await publishPost(deps, drafter, { postId, connectionIds: [connectionId], propose: true });
    };
    const comment = async (title: string, body: string, author = member) => {
      const { postId } = await addPost(deps, owner, { title });
      return addComment(deps, author, { postId, body });
    };
    const choose = (caller: Caller, frequencies: Partial<MailFrequencies>) =>
      setMailFrequencies(deps, caller, { frequencies });
    return { owner, member, propose, comment, choose };
  }
  const mailsTo = (caller: Caller, mails = server.received) =>
    mails.filter(({ to }) => to.includes(caller.user.email!));
  /** To 08:00 UTC of the next day. */
  const advanceToSummary = () => clock.advance(days(1) - (clock() % days(1)) + hours(8));

  test("mails what waits for an approval at once, with text, HTML and the headers that mail programs need (MAIL-1, MAIL-3)", async () => {
    const { owner, member, propose } = await createScene();
    await propose();
    await deliver();
    assert.equal(server.received.length, 2);
    const [mail] = mailsTo(owner);
    assert.ok(mail);
    const sentence = `Claude, for ${member.user.name}, proposed to publish “Spring”`;
    const { notifications } = await listNotifications(deps, owner, { limit: 10 });
    assert.equal(mail.from, "atelier@example.com");
    assert.equal(mail.headers.get("from"), "Atelier <atelier@example.com>");
    assert.match(mail.headers.get("subject")!, new RegExp(`^${owner.studio.name}: ${sentence}`));
    assert.equal(mail.headers.get("auto-submitted"), "auto-generated");
    assert.equal(mail.headers.get("message-id"), `<${notifications[0]!.id}@atelier.example.com>`);
    assert.equal(mail.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    const url = `${deps.baseUrl}/studios/${owner.studio.id}/publications/${notifications[0]!.publicationId}`;
    for (const part of [mail.text, mail.html]) {
      assert.ok(part.includes(sentence), part);
      assert.ok(part.includes(url));
      assert.ok(part.includes(`/studios/${owner.studio.id}/settings#email`));
    }
  });

  test("sums up the rest once a day in the studio’s time zone, without what was read (MAIL-1)", async () => {
    const { owner, member, comment } = await createScene();
    await updateStudio(deps, owner, { timezone: "America/New_York" });
    await comment("First", "Nice");
    await comment("Second", `Look, @${owner.user.name}`);
    await comment("Third", "Read in the app");
    assert.deepEqual(mailsTo(owner, await deliver()), []);
    const { notifications } = await listNotifications(deps, owner, { limit: 10, studioId: owner.studio.id });
    await readNotifications(deps, owner, { ids: [notifications[0]!.id] });
    // 08:00 in New York is 13:00 UTC in winter.
    clock.advance(((days(2) + hours(13) - (clock() % days(1))) % days(1)) - 1);
    assert.deepEqual(mailsTo(owner, await deliver()), []);
    clock.advance(1);
    const [mail, ...others] = mailsTo(owner, await deliver());
    assert.equal(others.length, 0);
    assert.equal(mail!.headers.get("subject"), `${owner.studio.name}: 2 notifications`);
    assert.ok(mail!.text.includes(`${member.user.name} commented on “First”: Nice`), mail!.text);
    assert.ok(mail!.html.includes("mentioned you"));
    assert.ok(!mail!.text.includes("Third"));
    await comment("Fourth", "For the next day");
    assert.deepEqual(await deliver(), []);
    clock.advance(days(1));
    assert.equal((await deliver())[0]!.headers.get("subject"), `${owner.studio.name}: 1 notification`);
  });

  test("follows the choice of each user, type and studio, also for what is already queued (MAIL-1)", async () => {
    const { owner, member, propose, comment, choose } = await createScene();
    await choose(owner, { approval: "never", comment: "at_once" });
    await propose();
    await comment("A post", "At once");
    assert.deepEqual(
      (await deliver()).map(({ to }) => to[0]).toSorted(),
      [member.user.email, owner.user.email].toSorted(),
    );
    const settings = await getMailSettings(deps, owner);
    assert.deepEqual([settings.frequencies.approval, settings.frequencies.comment], ["never", "at_once"]);
    assert.equal((await getMailSettings(deps, member)).frequencies.approval, "at_once");
    await propose();
    await fanOut(deps, [{ read: (tx, events) => notifyUsers(deps, tx, events) }]);
    await choose(member, { approval: "never" });
    assert.deepEqual(await deliver(), []);
  });

  test("mails nothing of a studio to a user who left it, is disabled or has read it, also what is queued (MAIL-2)", async () => {
    const { owner, member, propose, comment } = await createScene();
    const [disabled, reader] = [await newMember(deps, owner, "member"), await newMember(deps, owner, "member")];
    await deliver();
    server.received.length = 0;
    await comment("Summed up", `@${member.user.name}`, owner);
    await propose();
    await fanOut(deps, [{ read: (tx, events) => notifyUsers(deps, tx, events) }]);
    await removeMember(deps, owner, { userId: member.user.id });
    await deps.users.setDisabled(disabled.user.id, clock());
    const { notifications } = await listNotifications(deps, reader, { limit: 10 });
    await readNotifications(deps, reader, { ids: notifications.map(({ id }) => id) });
    assert.deepEqual(
      (await deliver()).map(({ to }) => to),
      [[owner.user.email]],
    );
    advanceToSummary();
    assert.deepEqual(mailsTo(member, await deliver()), []);
    assert.equal(await deps.mails.countWaiting(), 0);
  });

  test("does not mail to an email that is not verified (MAIL-2)", async () => {
    const { owner, propose } = await createScene();
    const { q } = fixture.database;
    await q.updateTable("users").set({ emailVerified: false }).where("id", "=", owner.user.id).execute();
    await propose();
    await deliver();
    assert.deepEqual(mailsTo(owner), []);
    assert.equal((await getMailSettings(deps, owner)).mailbox, null);
    await assert.rejects(sendTestMail(deps, owner), { code: "invalid_input" });
  });

  test("mails an invitation, whose names have no links, unless it was revoked (MAIL-4, F12)", async () => {
    const { owner } = await createScene();
    await updateStudio(deps, owner, { name: "Win at https://evil.example/x?y or www.evil.example" });
    const { url } = await createInvitation(deps, owner, { role: "member", email: "new@example.com" });
    const [mail] = await deliver();
    assert.deepEqual(mail!.to, ["new@example.com"]);
    assert.ok(mail!.text.includes(url));
    assert.ok(mail!.html.includes(`href="${url}"`));
    assert.ok(
      mail!.text.includes(`invited you as a member of Win at https evil. example x?y or www. evil. example`),
      mail!.text,
    );
    for (const part of [mail!.text, mail!.html, mail!.headers.get("subject")!])
      assert.ok(!part.includes("evil.example"));
    assert.equal(mail!.headers.get("list-unsubscribe"), undefined);
    const { id: invitationId } = await createInvitation(deps, owner, { role: "member", email: "late@example.com" });
    await revokeInvitation(deps, owner, { invitationId });
    await createInvitation(deps, owner, { role: "member" });
    assert.deepEqual(await deliver(), []);
    const stored = await fixture.database.q.selectFrom("mails").select("sealedToken").execute();
    assert.ok(
      stored.every(({ sealedToken }) => sealedToken === null),
      "a token outlives its mail",
    );
  });

  test("sends at most 20 invitations per user and day (MAIL-4, F12)", async () => {
    const { owner } = await createScene();
    const invite = (i: number) => createInvitation(deps, owner, { role: "member", email: `m${i}@example.com` });
    const results = await Promise.allSettled(Array.from({ length: 25 }, (_, i) => invite(i)));
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 20);
    await assert.rejects(invite(26), { code: "rate_limited" });
    await createInvitation(deps, owner, { role: "member" });
    assert.equal((await deliver()).length, 20);
    clock.advance(days(1));
    await invite(27);
    assert.deepEqual(
      (await deliver()).flatMap(({ to }) => to).filter((email) => email.startsWith("m")),
      ["m27@example.com"],
    );
  });

  test("a header can’t be injected, and an address stays one recipient (MAIL-3, F13)", async () => {
    const { owner, comment, choose } = await createScene();
    await choose(owner, { comment: "at_once" });
    const { q } = fixture.database;
    const setEmail = (email: string) => q.updateTable("users").set({ email }).where("id", "=", owner.user.id).execute();
    const injected = "x\r\nBcc: victim@example.com\r\n\r\nText";
    await q
      .updateTable("studios")
      .set({ name: `S ${injected}` })
      .where("id", "=", owner.studio.id)
      .execute();
    await q.updateTable("posts").set({ title: injected }).execute();
    await comment("A post", injected);
    const [mail] = await deliver();
    assert.deepEqual(mail!.to, [owner.user.email]);
    assert.deepEqual(
      mail!.headerLines.filter((line) => /^(bcc|x|text)/i.test(line)),
      [],
    );
    for (const email of [
      "a@b.example, c@d.example",
      "a@b.example\r\nBcc: c@d.example",
      "<a@b.example>",
      `"a b"@c.example`,
    ]) {
      await setEmail(email);
      await comment("A post", "Again");
      assert.deepEqual(await deliver(), [], email);
    }
  });

  test("unsubscribes from one kind of emails with the link, and only from it (MAIL-5, F14)", async () => {
    const { owner, propose, comment } = await createScene();
    await propose();
    await deliver();
    const link = (mail: ReceivedMail) => /^<(.*)>$/.exec(mail.headers.get("list-unsubscribe")!)![1]!;
    const token = (mail: ReceivedMail) => link(mail).split("/").at(-1)!;
    const [mail] = mailsTo(owner);
    assert.ok(mail!.text.includes(link(mail!)));
    assert.equal((await describeSubscription(deps, token(mail!)))?.type, "approval");
    assert.ok(await unsubscribe(deps, token(mail!)));
    assert.ok(await unsubscribe(deps, token(mail!)));
    assert.equal(await unsubscribe(deps, `${token(mail!).slice(0, -2)}xx`), false);
    const { frequencies } = await getMailSettings(deps, owner);
    assert.deepEqual([frequencies.approval, frequencies.failure, frequencies.comment], ["never", "at_once", "daily"]);
    await comment("A post", "In the summary");
    await deliver();
    advanceToSummary();
    const [summary] = mailsTo(owner, await deliver());
    await unsubscribe(deps, token(summary!));
    const changed = (await getMailSettings(deps, owner)).frequencies;
    assert.deepEqual([changed.failure, changed.comment, changed.mention], ["at_once", "never", "never"]);
  });

  test("a mail server that is down delays emails, is shown as failing, and gets them when it works again (MAIL-6)", async () => {
    const { owner, propose } = await createScene();
    const working = deps.mailer;
    const down = await startMailServer();
    await down.close();
    const failing = { ...deps, mailer: down.newMailer() };
    await propose();
    await deliver(failing);
    assert.equal(server.received.length, 0);
    const { failure } = await getMailSettings(deps, owner);
    assert.equal(failure?.reason, "unreachable");
    await assert.rejects(assertMailWorks(deps));
    const settings = await getMailSettings({ ...deps, mailer: undefined }, owner);
    assert.deepEqual([settings.isConfigured, settings.failure], [false, null]);
    for (let i = 0; i < 20; i++) {
      clock.advance(minutes(20));
      await deliver(failing);
    }
    clock.advance(minutes(40));
    await deliver({ ...deps, mailer: working });
    clock.advance(minutes(40));
    await deliver();
    assert.equal(mailsTo(owner).length, 1);
    assert.equal((await getMailSettings(deps, owner)).failure, null);
    await assertMailWorks(deps);
  });

  test("retries what the server defers, and gives up what it rejects, without calling the server broken (MAIL-6)", async () => {
    const { owner } = await createScene();
    const state = async () => (await getMailSettings(deps, owner)).test;
    server.failAt = { command: "RCPT TO", code: 451 };
    await sendTestMail(deps, owner);
    await deliver();
    assert.deepEqual(await state(), { state: "waiting", reason: "deferred" });
    server.failAt = undefined;
    clock.advance(seconds(6));
    assert.equal(mailsTo(owner, await deliver()).length, 1);
    assert.deepEqual(await state(), { state: "delivered", reason: null });
    server.failAt = { command: "RCPT TO", code: 550 };
    await sendTestMail(deps, owner);
    await deliver();
    assert.deepEqual(await state(), { state: "failed", reason: "rejected" });
    await assertMailWorks(deps);
    for (const [command, code, reason] of [
      ["MAIL FROM", 550, "sender"],
      ["connect", 421, "unreachable"],
    ] as const) {
      server.failAt = { command, code };
      clock.advance(hours(1));
      await sendTestMail(deps, owner);
      await deliver();
      assert.deepEqual((await getMailSettings(deps, owner)).failure?.reason, reason);
    }
    server.failAt = undefined;
    clock.advance(hours(1));
    await deliver();
    await assertMailWorks(deps);
  });

  test("one process sends at a time, and a mail that two processes sent has one Message-ID (MAIL-6)", async () => {
    const { propose } = await createScene();
    await propose();
    await fanOut(deps, [{ read: (tx, events) => notifyUsers(deps, tx, events) }]);
    const claimed = await deps.mails.claimServer(clock(), clock() + seconds(30));
    assert.ok(claimed);
    assert.equal(await deps.mails.claimServer(clock(), clock() + seconds(30)), undefined);
    assert.equal(await deps.mails.hasDue(clock()), false);
    const [mail] = await deps.mails.listDue(clock(), 1);
    clock.advance(seconds(31));
    await deliver();
    const sent = server.received.length;
    const result = { ...mail!, state: "failed" as const, attempts: 1, nextAttemptAt: null };
    await deps.mails.saveResult(mail!, result);
    await deps.mails.releaseServer(claimed.lockedUntil, { ...claimed, failingSince: clock() });
    const { q } = fixture.database;
    const row = await q.selectFrom("mails").select("state").where("id", "=", mail!.id).executeTakeFirstOrThrow();
    assert.equal(row.state, "delivered");
    await assertMailWorks(deps);
    assert.equal(new Set(server.received.map(({ headers }) => headers.get("message-id"))).size, sent);
  });

  test("without a mail server, nothing is queued and a test says so (MAIL-6)", async () => {
    const { owner, propose } = await createScene();
    const without = { ...deps, mailer: undefined };
    await propose();
    await fanOut(deps, [{ read: (tx, events) => notifyUsers(without, tx, events) }]);
    await createInvitation(without, owner, { role: "member", email: "x@example.com" });
    assert.equal(await deps.mails.countWaiting(), 0);
    await assert.rejects(sendTestMail(without, owner), { code: "invalid_input" });
  });

  test("deletes emails after 30 days (MAIL-6)", async () => {
    const { q } = fixture.database;
    clock.advance(days(40));
    await createPurgeJob(deps)(untilDone);
    assert.deepEqual(await q.selectFrom("mails").select("id").execute(), []);
  });
});
