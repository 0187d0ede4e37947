import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { createWebhookStore } from "#db/webhooks.ts";
import type { Caller } from "#domain/caller.ts";
import { fanOut } from "#domain/jobs/fan-out.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { createDeliveryQueue } from "#domain/jobs/webhooks/queue-deliveries.ts";
import { startWebhookSender } from "#domain/jobs/webhooks/sender.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import {
  listDeliveries,
  listDeliveriesInput,
  resendDelivery,
  resendFailed,
  testWebhook,
} from "#domain/webhooks/deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from "#domain/webhooks/webhooks.ts";
import { days, hours, minutes, seconds, toIsoTime } from "#lib/clock.ts";
import type { AppError } from "#lib/errors.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, forEachEngine, silentLog, type TestDeps } from "../support/engines.ts";
import { recordPlans } from "../support/query-plans.ts";
import { newMember, newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { allowReceivers, startReceiver, verifyEvent, type WebhookReceiver } from "../support/webhook-receiver.ts";

forEachEngine("webhooks", (fixture) => {
  const { clock } = fixture;
  const receivers: WebhookReceiver[] = [];
  let receiver: WebhookReceiver;
  let deps: TestDeps;
  before(async () => {
    for (let i = 0; i < 4; i++) receivers.push(await startReceiver());
    receiver = receivers[0]!;
    deps = allowReceivers(fixture.deps, ...receivers);
  });
  after(async () => {
    for (const { close } of receivers) await close();
  });
  const throwError = (error: unknown): never => {
    throw error;
  };

  /** A studio with a webhook for its posts. What happened before is passed on. */
  async function newWebhook({ url } = receiver, events = ["post.*"]) {
    const owner = await newStudio(deps);
    const { id: webhookId, secret } = await createWebhook(deps, owner, { url, events });
    await queue();
    const studioId = owner.studio.id;
    const newEvent = async () => (await createPost(deps, owner, { title: "A post", body: "" })).id;
    const list = async () =>
      (await listDeliveries(deps, owner, { ...listDeliveriesInput.parse({}), webhookId })).deliveries;
    const view = async () => (await listWebhooks(deps, owner)).webhooks[0]!;
    return { owner, studioId, webhookId, secret, newEvent, list, view };
  }
  const queue = () => fanOut(deps, [createDeliveryQueue(deps)]);
  /** Passes on all events, and sends all deliveries that are due now. */
  async function deliver(senderDeps = deps): Promise<void> {
    await queue();
    const sender = startWebhookSender(senderDeps, { onError: throwError, pollMs: 1 });
    await waitUntil(isIdle, { description: "all due deliveries are sent" }).finally(() => sender.stop());
  }
  /** Whether nothing is due, and no process sends, in one look: a batch ends and the next starts at any time. */
  async function isIdle(): Promise<boolean> {
    const webhooks = await fixture.database.q.selectFrom("webhooks").selectAll().execute();
    const now = clock();
    const isDue = (time: number | null) => time !== null && time <= now;
    return webhooks.every(
      ({ dueAt, lockedUntil, disabledAt }) =>
        lockedUntil !== now + leaseMs && (disabledAt !== null || !isDue(dueAt) || !isDue(lockedUntil)),
    );
  }
  const leaseMs = seconds(30);
  const received = (studioId: string, from = receiver) =>
    from.received.filter(({ body }) => body.data["studioId"] === studioId);
  function failWith(status: number, headers: Record<string, string> = {}) {
    receiver.respond = (response) => response.writeHead(status, headers).end("no");
  }
  const recover = () => (receiver.respond = (response) => response.writeHead(204).end());

  test("sends a signed event that a receiver can verify, with what was true when it happened (HOOK-2)", async () => {
    const { owner, studioId, secret, list } = await newWebhook();
    const member = await newMember(deps, owner, "member");
    const viaClient: Caller = { ...member, client: { id: "client-1", name: "Claude" } };
    const { id } = await createPost(deps, viaClient, { title: "A post", body: "" });
    await updatePost(deps, owner, { postId: id, title: "Changed" });
    await removeMember(deps, owner, { userId: member.user.id });
    const at = toIsoTime(clock());
    clock.advance(seconds(1));
    await deliver();
    const events = received(studioId).toSorted((a, b) => (a.body.type < b.body.type ? -1 : 1));
    const object = { type: "post", id };
    const [created, updated] = events.map((event) => verifyEvent(secret, event));
    assert.deepEqual(created, {
      type: "post.created",
      timestamp: at,
      data: {
        studioId,
        object: { ...object, revision: 1 },
        actor: { user: { id: member.user.id }, client: { id: "client-1", name: "Claude" } },
      },
    });
    assert.deepEqual(updated, {
      type: "post.updated",
      timestamp: at,
      data: { studioId, object: { ...object, revision: 2 }, actor: { user: { id: owner.user.id }, client: null } },
    });
    assert.equal(events.length, 2);
    const { headers } = events[0]!;
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["webhook-timestamp"], String(Math.floor(clock() / 1000)));
    assert.ok((await list()).some(({ id: deliveryId }) => deliveryId === headers["webhook-id"]));
    assert.deepEqual(
      (await list()).map(({ type, subjectId, state, attempts, status, error }) => [
        [type, subjectId],
        [state, attempts, status, error],
      ]),
      ["post.updated", "post.created"].map((type) => [
        [type, id],
        ["delivered", 1, 204, null],
      ]),
    );
  });

  test("retries with growing pauses and the same id, and gives up after a day (HOOK-3)", async () => {
    const { owner, studioId, webhookId, newEvent, list } = await newWebhook();
    failWith(500);
    await newEvent();
    const waits: number[] = [];
    for (;;) {
      await deliver();
      const [delivery] = await list();
      assert.ok(delivery);
      if (delivery.nextAttemptAt === null) break;
      waits.push(Date.parse(delivery.nextAttemptAt) - clock());
      clock.advance(waits.at(-1)! + minutes(5)); // longer than any pause of the endpoint
    }
    assert.equal((await list())[0]?.state, "failed");
    assert.equal(new Set(received(studioId).map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.equal(received(studioId).length, waits.length + 1);
    assert.ok(waits.every((wait, i) => i === 0 || wait >= waits[i - 1]! * 0.8));
    const total = waits.reduce((sum, wait) => sum + wait, 0);
    assert.ok(total > hours(20) && total < hours(28), String(total));
    recover();
    const since = toIsoTime(clock() - days(2));
    assert.deepEqual(await resendFailed(deps, owner, { webhookId, since }), { resent: 1 });
    clock.advance(minutes(5));
    await deliver();
    assert.equal((await list())[0]?.state, "delivered");
    assert.deepEqual(await resendFailed(deps, owner, { webhookId, since }), { resent: 0 });
  });

  test("waits as long as the endpoint asks, also with other events (HOOK-3)", async () => {
    const { studioId, newEvent } = await newWebhook();
    for (const getRetryAfter of [() => "600", () => new Date(clock() + minutes(10)).toUTCString()]) {
      failWith(429, { "retry-after": getRetryAfter() });
      await newEvent();
      await deliver();
      const count = received(studioId).length;
      clock.advance(minutes(9));
      await newEvent();
      await deliver();
      assert.equal(received(studioId).length, count);
      recover();
      clock.advance(minutes(20));
      await deliver();
    }
    assert.equal(received(studioId).length, 6);
  });

  test("disables an endpoint after five days of failures, keeps its events, and sends them when it is enabled (HOOK-5)", async () => {
    const { owner, studioId, webhookId, newEvent, view } = await newWebhook();
    failWith(503);
    const ids: string[] = [];
    for (let day = 0; day <= 5; day++) {
      assert.equal((await view()).disabled, null);
      ids.push(await newEvent());
      await deliver();
      clock.advance(hours(24) + minutes(1));
    }
    await deliver();
    assert.equal((await view()).disabled?.reason, "failing");
    const activity = await deps.activity.list(studioId, { subjectId: webhookId, limit: 1 });
    assert.deepEqual(
      activity.map(({ action, userId, detail }) => [action, userId, detail]),
      [["webhook.disabled", null, { host: new URL(receiver.url).host, reason: "failing" }]],
    );
    recover();
    ids.push(await newEvent());
    await deliver();
    receiver.received.length = 0;
    await deliver();
    assert.deepEqual(received(studioId), []);
    await enableWebhook(deps, owner, { webhookId });
    clock.advance(hours(9)); // until all retries are due
    await deliver();
    const delivered = received(studioId).map(({ body }) => (body.data["object"] as { id: string }).id);
    assert.deepEqual(delivered.toSorted(), ids.toSorted());
    assert.deepEqual([(await view()).disabled, (await view()).failingSince], [null, null]);
  });

  test("disables an endpoint that responds 410 (HOOK-5)", async () => {
    const { newEvent, view, list } = await newWebhook();
    failWith(410);
    await newEvent();
    await deliver();
    recover();
    assert.equal((await view()).disabled?.reason, "gone");
    assert.equal((await list())[0]?.state, "failed");
  });

  test("probes an endpoint that fails, and sends the rest when it recovers (HOOK-4)", async () => {
    const { studioId, newEvent } = await newWebhook();
    failWith(500);
    await newEvent();
    await deliver();
    clock.advance(minutes(10));
    for (let i = 0; i < 20; i++) await newEvent();
    await deliver();
    assert.equal(received(studioId).length, 2);
    recover();
    clock.advance(minutes(10));
    await deliver();
    assert.equal(received(studioId).length, 23);
  });

  test("an endpoint that does not respond delays no other; each gets at most five requests at a time (HOOK-4, F5)", async () => {
    const [silent, quick] = [receivers[1]!, receivers[2]!];
    const responses: (() => void)[] = [];
    silent.respond = (response) => responses.push(() => response.writeHead(204).end());
    const [slow, fast] = [await newWebhook(silent), await newWebhook(quick)];
    for (let i = 0; i < 20; i++) {
      await slow.newEvent();
      await fast.newEvent();
    }
    await queue();
    const sender = startWebhookSender(deps, { onError: throwError, pollMs: 1 });
    await waitUntil(() => received(fast.studioId, quick).length === 20 && responses.length === 5);
    silent.respond = (response) => response.writeHead(204).end();
    for (const respond of responses) respond();
    await waitUntil(() => received(slow.studioId, silent).length === 20);
    await sender.stop();
    assert.ok(silent.maxOpen <= 5 && quick.maxOpen <= 5);
  });

  test("sends each delivery once while several processes send (HOOK-2)", async () => {
    const { studioId, newEvent, list } = await newWebhook(receivers[3]);
    for (let i = 0; i < 60; i++) await newEvent();
    const databases = await Promise.all(
      Array.from({ length: 3 }, () => openDatabase({ ...fixture.location, log: silentLog })),
    );
    const processes = databases.map((database) => allowReceivers(createDeps(database, clock), ...receivers));
    await Promise.all(processes.map((process) => fanOut(process, [createDeliveryQueue(process)])));
    const senders = processes.map((process) => startWebhookSender(process, { onError: throwError, pollMs: 1 }));
    await waitUntil(async () => (await list()).every(({ state }) => state === "delivered"));
    await waitUntil(async () => !(await deps.webhooks.hasDue(clock())));
    await Promise.all(senders.map((sender) => sender.stop()));
    const ids = received(studioId, receivers[3]).map(({ headers }) => headers["webhook-id"]);
    assert.deepEqual([ids.length, new Set(ids).size], [60, 60]);
    assert.ok(receivers[3]!.maxOpen <= 5);
    await Promise.all(databases.map((database) => database.close()));
  });

  test("signs with both secrets for a day after a rotation (HOOK-6)", async () => {
    const { owner, studioId, webhookId, secret, newEvent } = await newWebhook();
    const second = await rotateWebhookSecret(deps, owner, { webhookId });
    const { secret: third } = await rotateWebhookSecret(deps, owner, { webhookId });
    assert.equal(second.previousValidUntil, toIsoTime(clock() + hours(24)));
    await newEvent();
    await deliver();
    const [event] = received(studioId);
    for (const valid of [secret, second.secret, third]) verifyEvent(valid, event!);
    clock.advance(hours(24));
    await newEvent();
    await deliver();
    const later = received(studioId)[1]!;
    verifyEvent(third, later);
    for (const expired of [secret, second.secret]) assert.throws(() => verifyEvent(expired, later));
    const { database } = fixture;
    const rows = await database.q.selectFrom("webhooks").selectAll().where("id", "=", webhookId).execute();
    for (const stored of [secret, third]) assert.ok(!JSON.stringify(rows).includes(stored));
  });

  test("sends a test event at once and any delivery again, and filters the log (HOOK-7)", async () => {
    const { owner, studioId, webhookId, secret, newEvent, list } = await newWebhook();
    const tested = await testWebhook(deps, owner, { webhookId });
    assert.deepEqual([tested.type, tested.state, tested.status], ["webhook.test", "delivered", 204]);
    verifyEvent(secret, received(studioId)[0]!);
    failWith(500);
    assert.equal((await testWebhook(deps, owner, { webhookId })).state, "failed");
    recover();
    await newEvent();
    await deliver();
    const [delivery] = await list();
    await resendDelivery(deps, owner, { webhookId, deliveryId: delivery!.id });
    await deliver();
    const ids = received(studioId).map(({ headers }) => headers["webhook-id"]);
    assert.equal(ids.filter((id) => id === delivery!.id).length, 2);
    const filter = { ...listDeliveriesInput.parse({ state: "failed" }), webhookId };
    assert.deepEqual(
      (await listDeliveries(deps, owner, filter)).deliveries.map(({ type }) => type),
      ["webhook.test"],
    );
    const other = await newWebhook();
    const foreign = { webhookId: other.webhookId, deliveryId: delivery!.id };
    await assert.rejects(resendDelivery(deps, other.owner, foreign), { code: "not_found" });
    clock.advance(days(30) + 1);
    await createPurgeJob(deps)(untilDone);
    assert.deepEqual(await list(), []);
  });

  test("a deleted studio and a deleted webhook receive nothing more (HOOK-2)", async () => {
    const [first, second] = [await newWebhook(), await newWebhook()];
    await first.newEvent();
    await second.newEvent();
    await queue();
    await deleteStudio(deps, first.owner, { name: first.owner.studio.name });
    await deleteWebhook(deps, second.owner, { webhookId: second.webhookId });
    assert.deepEqual(await listWebhooks(deps, second.owner), { webhooks: [] });
    const sender = startWebhookSender(deps, { onError: throwError, pollMs: 1 });
    const marker = await newWebhook();
    await marker.newEvent();
    await queue();
    await waitUntil(() => received(marker.studioId).length === 1);
    await sender.stop();
    assert.deepEqual([received(first.studioId), received(second.studioId)], [[], []]);
  });

  test("parallel calls can't exceed the limit of webhooks (HOOK-1)", async () => {
    const owner = await newStudio(deps);
    const create = () => createWebhook(deps, owner, { url: receiver.url, events: ["post.*"] });
    const results = await Promise.allSettled(Array.from({ length: 25 }, create));
    const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason as AppError] : []));
    assert.deepEqual([...new Set(errors.map(({ code }) => code))], ["quota_exceeded"]);
    assert.equal((await listWebhooks(deps, owner)).webhooks.length, 20);
  });

  test("studios take turns: neither many endpoints nor a backlog delays the endpoint of another (HOOK-4, F5)", async () => {
    const busy = await newWebhook();
    const { id: secondId } = await createWebhook(deps, busy.owner, { url: receiver.url, events: ["post.*"] });
    const other = await newWebhook();
    for (let i = 0; i < 3; i++) await busy.newEvent();
    await queue();
    clock.advance(1);
    await other.newEvent();
    await queue();
    const claim = async (count: number) => {
      const webhooks = await deps.transact({ job: "send webhooks" }, (tx) =>
        tx.webhooks.claimDue(clock(), clock() + leaseMs, count),
      );
      return webhooks.map(({ id }) => id);
    };
    const release = (id: string) => deps.transact({ job: "send webhooks" }, (tx) => tx.webhooks.release(id, clock()));
    assert.deepEqual(await claim(1), [busy.webhookId]);
    assert.deepEqual(await claim(1), [other.webhookId], "the busy studio uses an endpoint already");
    clock.advance(1);
    await release(busy.webhookId);
    clock.advance(1);
    await release(other.webhookId);
    assert.deepEqual(await claim(1), [secondId], "it had no turn yet");
    assert.deepEqual(await claim(1), [other.webhookId]);
    assert.deepEqual(await claim(5), [busy.webhookId]);
    for (const id of [busy.webhookId, secondId, other.webhookId]) await release(id);
    await deliver();
  });

  test("every query uses an index (HOOK-2)", async () => {
    const { studioId, webhookId, newEvent, list } = await newWebhook();
    await newEvent();
    await queue();
    const { connection, listPlans } = recordPlans(fixture);
    const store = createWebhookStore(connection);
    const id = (await list())[0]!.id;
    await store.hasDue(clock());
    await store.claimDue(0, 0, 1);
    await store.listByStudios([studioId]);
    await store.listDue(webhookId, clock(), 1);
    await store.listDeliveries(webhookId, { state: "failed", before: id, limit: 1 });
    await store.requeue(webhookId, { from: id, limit: 1 }, clock());
    await store.release(webhookId, 0);
    for (const { sql, plan } of await listPlans())
      assert.ok(
        !/SCAN (?!candidates|json_each|\(subquery|CONSTANT)|Seq Scan/.test(plan.join("\n")),
        `${sql}\n${plan.join("\n")}`,
      );
  });
});
