import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import { recordActivity } from "#domain/changes/record-activity.ts";
import { startFanOut } from "#domain/jobs/fan-out.ts";
import { createDeliveryQueue } from "#domain/jobs/webhooks/queue-deliveries.ts";
import { startWebhookSender } from "#domain/jobs/webhooks/sender.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";
import { allowReceivers } from "../webhook-receiver.ts";
import { printLine, readOptions, waitForStart } from "./child.ts";

/** Child process: creates posts, rolls back other changes and sends webhooks, until it is killed. */

const { owner, urls, ...options } = readOptions<
  Omit<OpenDatabaseOptions, "log"> & { owner: Caller; urls: readonly string[] }
>();

await waitForStart();
const database = await openDatabase({ ...options, log: silentLog });
const deps = allowReceivers(createDeps(database, systemClock), ...urls.map((url) => ({ url })));
const onError = (): void => {};
const sender = startWebhookSender(deps, { onError, leaseMs: 500, pollMs: 10 });
const readers = [createDeliveryQueue({ ...deps, wakeWebhookSender: sender.wake })];
startFanOut(deps, { readers, onError, pollMs: 10 });
printLine("ready");

for (let i = 0; ; i++) {
  const { id } = await createPost(deps, owner, { title: `P${i}`, body: "" });
  printLine(`saved ${id}`);
  const rollBack = deps.transact(owner, async (tx) => {
    await recordActivity(deps, tx, owner, "post.created", `${id} rolled back`);
    throw new Error("rolled back");
  });
  await rollBack.catch(() => {});
}
