import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createWebhook } from "#domain/webhooks/webhooks.ts";
import { testWebhook } from "#domain/webhooks/deliveries.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, forOneEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { allowReceivers } from "../support/webhook-receiver.ts";

const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/webhooks.md"), "utf8");
const [, source = ""] = /```js\n(.*?)```/s.exec(guide) ?? [];

forOneEngine("the receiver in docs/webhooks.md", (fixture) => {
  test("accepts what Atelier signed, once, and rejects the rest (HOOK-2)", async (t) => {
    const deps = createDeps(fixture.database, systemClock);
    const owner = await newStudio(deps);
    const url = "https://example.com/hook";
    const { id: webhookId, secret } = await createWebhook(deps, owner, { url, events: ["post.*"] });
    const receiver = spawn(process.execPath, ["--input-type=module", "--eval", source], {
      cwd: root,
      env: { ...process.env, PORT: "0", WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => void receiver.kill());
    const lines = createInterface(receiver.stdout)[Symbol.asyncIterator]();
    const readLine = async () => ((await lines.next()) as { value: string }).value;
    const port = (await readLine()).split(" ")[1] ?? "";
    const target = { url: `http://127.0.0.1:${port}/` };
    const sendDeps = allowReceivers(deps, target);
    await deps.webhooks.update(webhookId, target);
    assert.equal((await testWebhook(sendDeps, owner, { webhookId })).status, 204);
    assert.equal(await readLine(), `webhook.test ${webhookId}`);
    const forged = await fetch(target.url, { method: "POST", body: "{}", headers: { "webhook-id": "whd_1" } });
    assert.equal(forged.status, 401);
    receiver.kill();
    await once(receiver, "exit");
  });
});
