import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startFanOut } from "#domain/jobs/fan-out.ts";
import { createDeliveryQueue } from "#domain/jobs/webhooks/queue-deliveries.ts";
import { startWebhookSender } from "#domain/jobs/webhooks/sender.ts";
import { createWebhook } from "#domain/webhooks/webhooks.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, forEachEngine } from "../support/engines.ts";
import { startHelper } from "../support/helper-process.ts";
import { isLongRun } from "../support/long-run.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { allowReceivers, startReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";

const kills = isLongRun ? 100 : 5;

forEachEngine("kill -9 while webhooks are sent", (fixture) => {
  /** One accepts all, one fails for every seventh request, one drops it. */
  let receivers: WebhookReceiver[];
  const accepted: Set<string>[] = [];
  before(async () => {
    receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
    for (const [i, receiver] of receivers.entries()) {
      const acceptedIds = new Set<string>();
      accepted.push(acceptedIds);
      let requestCount = 0;
      receiver.respond = (response, { body }) => {
        const isFaulty = ++requestCount % 7 === 0;
        if (isFaulty && i === 1) return response.writeHead(503).end();
        if (isFaulty && i === 2) return response.destroy();
        acceptedIds.add((body.data["object"] as { id: string }).id);
        response.writeHead(204).end();
      };
    }
  });
  after(async () => {
    for (const { close } of receivers) await close();
  });

  test(`every committed event reaches each endpoint, and none that was rolled back, after ${kills} kills (HOOK-2)`, async () => {
    const { database, location } = fixture;
    // Until the end of the retries takes a second, not minutes.
    const fastClock = () => start + (systemClock() - start) * 300;
    const start = systemClock();
    const setup = allowReceivers(createDeps(database, systemClock), ...receivers);
    const owner = await newStudio(setup);
    for (const { url } of receivers) await createWebhook(setup, owner, { url, events: ["post.*"] });
    const urls = receivers.map(({ url }) => url);
    for (let kill = 0; kill < kills; kill++) {
      const helper = startHelper("send-webhooks.ts", { ...location, owner, urls });
      await helper.begin();
      await helper.waitForLine("saved", 1 + ((kill * 7) % 23));
      await helper.kill();
    }
    const posts = await database.q.selectFrom("posts").select("id").execute();
    const deps = allowReceivers(createDeps(database, fastClock), ...receivers);
    const onError = (error: unknown): never => {
      throw error;
    };
    const loops = [
      startFanOut(deps, { readers: [createDeliveryQueue(deps)], onError, pollMs: 10 }),
      startWebhookSender(deps, { onError, pollMs: 10 }),
    ];
    const hasAll = () => accepted.every((ids) => posts.every(({ id }) => ids.has(id)));
    await waitUntil(hasAll, { description: "all endpoints have all events", timeoutMs: 60_000 }).finally(() =>
      Promise.all(loops.map((loop) => loop.stop())),
    );
    for (const ids of accepted) assert.deepEqual([...ids].toSorted(), posts.map(({ id }) => id).toSorted());
    assert.ok(posts.length >= kills);
  });
});
