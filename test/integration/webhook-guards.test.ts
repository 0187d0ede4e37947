import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fanOut } from "#domain/jobs/fan-out.ts";
import { createDeliveryQueue } from "#domain/jobs/webhooks/queue-deliveries.ts";
import { startWebhookSender } from "#domain/jobs/webhooks/sender.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { listDeliveries, listDeliveriesInput, testWebhook } from "#domain/webhooks/deliveries.ts";
import { createWebhook, updateWebhook } from "#domain/webhooks/webhooks.ts";
import { createPublicUrlCheck, createPublicUrlOpener, type PublicHostOptions } from "#lib/public-fetch.ts";
import { call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { forOneEngine, type TestDeps } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { allowReceivers, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const privateUrls = [
  "https://localhost/hook",
  "https://127.0.0.1/hook",
  "https://2130706433/hook",
  "https://10.0.0.1/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://[::1]/hook",
  "https://[::ffff:10.0.0.1]/hook",
  "https://[64:ff9b::a00:1]/hook",
  "https://user:password@example.com/hook",
  "http://example.com/hook",
];

forOneEngine("guards of webhooks", (fixture) => {
  let server: ApiServer;
  let receiver: WebhookReceiver;
  let deps: TestDeps;
  before(async () => {
    receiver = await startReceiver();
    deps = allowReceivers(fixture.deps, receiver);
    server = await startApiServer(deps);
  });
  after(async () => {
    await server.close();
    await receiver.close();
  });

  /** Deps whose names resolve to these IP addresses. */
  function resolveTo(addresses: string[], options: PublicHostOptions & { timeoutMs?: number } = {}): TestDeps {
    const target = { timeoutMs: 10_000, maxRedirects: 0, accept: "*/*", resolve: async () => addresses, ...options };
    return { ...deps, openWebhookUrl: createPublicUrlOpener(target), checkWebhookUrl: createPublicUrlCheck(target) };
  }
  /** A webhook of a new studio with one event, whose delivery was attempted with `senderDeps`. */
  async function attempt(url: string, senderDeps = deps) {
    const owner = await newStudio(deps);
    const { id: webhookId } = await createWebhook({ ...deps, checkWebhookUrl: async () => {} }, owner, {
      url,
      events: ["post.created"],
    });
    await createPost(deps, owner, { title: "A post", body: "" });
    await fanOut(deps, [createDeliveryQueue(deps)]);
    const list = async () =>
      (await listDeliveries(deps, owner, { ...listDeliveriesInput.parse({}), webhookId })).deliveries;
    const onError = (error: unknown): never => {
      throw error;
    };
    const sender = startWebhookSender(senderDeps, { onError, pollMs: 1 });
    await waitUntil(async () => (await list())[0]?.attempts === 1).finally(() => sender.stop());
    const [{ state, status, error } = assert.fail()] = await list();
    return { state, status, error };
  }

  test("rejects bad URLs and event types, and names them (HOOK-1)", async () => {
    const owner = await newStudio(deps);
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/webhooks`;
    const events = ["post.*"];
    const post = (body: object) => call(server, "POST", path, { cookie, body });
    for (const url of privateUrls) {
      const { status, json } = await post({ url, events });
      assert.deepEqual([status, json.code], [400, "url_blocked"], url);
      assert.match(json.detail, /^url: /);
      assert.ok(json.detail.includes(new URL(url).host) && !json.detail.includes("password"), json.detail);
    }
    for (const url of ["", "example.com", "//example.com", "https://", "javascript:alert(1)", "file:///etc/passwd"])
      assert.deepEqual((await post({ url, events })).json.code, "invalid_input", url);
    for (const event of ["post.exploded", "*", "post.", "posts.*", "constructor"]) {
      const { json } = await post({ url: receiver.url, events: ["post.*", event] });
      assert.equal(json.code, "invalid_input");
      assert.ok(json.detail.includes(JSON.stringify(event)), json.detail);
    }
    assert.equal((await post({ url: receiver.url, events: [] })).json.code, "invalid_input");
    const created = await post({ url: receiver.url, events: ["review.*", "member.*", "publication.failed"] });
    assert.equal(created.status, 201);
    const webhook = JSON.parse(created.text) as { id: string; secret: string };
    assert.deepEqual(Object.keys(webhook), ["id", "secret"]);
    assert.match(webhook.secret, /^whsec_[\w+/]{43}=$/);
    for (const url of privateUrls)
      assert.equal(
        (await call(server, "PATCH", `${path}/${webhook.id}`, { cookie, body: { url } })).json.code,
        "url_blocked",
      );
    assert.ok(!(await call(server, "GET", path, { cookie })).text.includes("whsec_"));
  });

  test("checks the IP address again at each test and attempt (HOOK-1, F11)", async () => {
    const owner = await newStudio(deps);
    const url = "https://hooks.example.com/";
    const publicDeps = resolveTo(["93.184.215.14"]);
    const { id: webhookId } = await createWebhook(publicDeps, owner, { url, events: ["post.*"] });
    for (const address of ["10.0.0.1", "127.0.0.1", "::ffff:127.0.0.1", "fe80::1"]) {
      const rebound = resolveTo(["93.184.215.14", address]);
      const blocked = { code: "url_blocked" };
      await assert.rejects(createWebhook(rebound, owner, { url, events: ["post.*"] }), blocked);
      await assert.rejects(updateWebhook(rebound, owner, { webhookId, url }), blocked);
      await assert.rejects(testWebhook(rebound, owner, { webhookId }), blocked);
      assert.deepEqual(await attempt(url, rebound), { state: "waiting", status: null, error: "blocked" });
    }
  });

  test("follows no redirect (HOOK-3)", async () => {
    const target = await startReceiver();
    receiver.respond = (response) => response.writeHead(307, { location: target.url }).end();
    const senderDeps = allowReceivers(deps, receiver, target);
    assert.deepEqual(await attempt(receiver.url, senderDeps), { state: "waiting", status: 307, error: "status" });
    assert.deepEqual(target.received, []);
    await target.close();
  });

  test("reads little of a long response, and does not store it (HOOK-7)", async () => {
    let bytes = 0;
    receiver.respond = (response) => {
      response.writeHead(500);
      const write = (): void => {
        while (bytes < 1e9 && response.write(Buffer.alloc(65_536, "secret"))) bytes += 65_536;
        response.once("drain", write);
      };
      write();
    };
    assert.deepEqual(await attempt(receiver.url), { state: "waiting", status: 500, error: "status" });
    assert.ok(bytes < 50_000_000, String(bytes));
    const rows = await fixture.database.q.selectFrom("webhookDeliveries").selectAll().execute();
    assert.ok(!JSON.stringify(rows).includes("secret"));
  });

  test("does not wait for a response that never comes or never ends (HOOK-4)", async () => {
    const { host } = new URL(receiver.url);
    const impatient = resolveTo([], { timeoutMs: 100, ...{ privateHosts: new Set([host]) } });
    receiver.respond = () => {};
    assert.deepEqual(await attempt(receiver.url, impatient), { state: "waiting", status: null, error: "unreachable" });
    receiver.respond = (response) => response.writeHead(200).write("no end");
    assert.deepEqual(await attempt(receiver.url, impatient), { state: "delivered", status: 200, error: null });
  });
});
