import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { listen, openSessionStream } from "../support/event-stream.ts";
import { initialize } from "../support/mcp.ts";
import { useServiceProcess } from "../support/service-process.ts";
import type { StudioClient } from "../support/studio-client.ts";
import { callAsTask, getTask, type TaskResult } from "../support/task-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const uploadCount = 50;
const callsPerSecond = 200;

async function waitForStatus(req: ClientRequest): Promise<number> {
  const [res] = (await once(req, "response")) as [IncomingMessage];
  res.resume();
  return res.statusCode ?? 0;
}

describe("shutdown on SIGTERM", () => {
  const service = useServiceProcess(() => ({ env: { CONFORMANCE_FIXTURES: "1" } }));
  let base: string;
  let studio: StudioClient;
  before(() => void ({ base, studio } = service));

  /** Starts a call that runs as a task for this long; returns the function that reads its task. */
  async function startTask(seconds: number): Promise<() => Promise<TaskResult>> {
    const { taskId } = await callAsTask(studio.caller, "slow_compute", { seconds });
    return () => getTask(studio.caller, taskId);
  }

  async function waitUntilDraining(): Promise<void> {
    const getReadiness = async (): Promise<unknown> => (await fetch(`${base}/readyz`)).json();
    await waitUntil(async () =>
      isDeepStrictEqual(await getReadiness(), { status: "not ready", failing: ["draining"] }),
    );
  }

  interface PendingUpload {
    assetId: string;
    finish(): void;
    status: Promise<number>;
  }

  /** Sends the first half of a PUT; `finish` sends the second. */
  async function startUpload(): Promise<PendingUpload> {
    const { assetId, uploadUrl } = await studio.call("request_asset_upload", {
      kind: "document",
      mimeType: "text/plain",
    });
    const content = Buffer.from(randomBytes(40_000).toString("hex"));
    const headers = { "content-length": content.length };
    const req: ClientRequest = request(uploadUrl, { method: "PUT", headers, agent: false });
    const status = waitForStatus(req);
    status.catch(() => {});
    req.write(content.subarray(0, content.length / 2));
    return { assetId, status, finish: () => void req.end(content.subarray(content.length / 2)) };
  }

  /** Calls the server at a steady rate over keep-alive connections, as a proxy does. */
  function startLoad(): { stop(): Promise<Map<string, number>> } {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const outcomes = new Map<string, number>();
    const pendingCalls: Promise<void>[] = [];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } });
    const callOnce = async (): Promise<void> => {
      const req = request(`${base}/mcp`, {
        method: "POST",
        agent,
        headers: {
          authorization: `Bearer ${studio.tokens.access_token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": body.length,
        },
      });
      req.end(body);
      const outcome = await waitForStatus(req).then(
        String,
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };
    const timer = setInterval(() => pendingCalls.push(callOnce()), 1000 / callsPerSecond);
    return {
      async stop() {
        clearInterval(timer);
        await Promise.all(pendingCalls);
        agent.destroy();
        return outcomes;
      },
    };
  }

  test("the server becomes not ready, finishes accepted work, interrupts no request, and exits with 0 within 30 s (C4)", async () => {
    const post = await studio.call("create_post", { title: "A", body: "" });
    const pendingUploads = await Promise.all(Array.from({ length: uploadCount }, startUpload));
    const readTask = await startTask(6);
    const load = startLoad();
    await sleep(500);
    const signaledAt = performance.now();
    service.main.terminate();
    await waitUntilDraining();
    assert.equal((await fetch(`${base}/healthz`)).status, 200, "the server still responds while draining");
    await sleep(2000);
    const outcomes = await load.stop();
    for (const { finish } of pendingUploads) finish();
    const statuses = await Promise.all(pendingUploads.map(({ status }) => status));
    assert.deepEqual(new Set(statuses), new Set([200]), "every accepted upload finishes");
    assert.equal(await service.main.exited, 0, service.main.getOutput());
    assert.ok(performance.now() - signaledAt < 30_000);
    assert.deepEqual([...outcomes.keys()], ["200"], "no call was interrupted or rejected");
    assert.ok((outcomes.get("200") ?? 0) > 100);

    await service.start();
    const { assetId } = pendingUploads[0] ?? { assetId: "" };
    const { status } = await studio.call("attach_asset", { postId: post.id, assetId });
    assert.equal(status, "ready", "the uploaded file is stored");
    assert.equal((await readTask()).status, "completed", "the shutdown waited for the task");
  });

  test("event streams can be opened and send changes until the server stops listening, and then end (CHAT-20, C4)", async () => {
    const client = studio.caller;
    const post = await studio.call("create_post", { title: "A", body: "" });
    const filter = { resourceSubscriptions: [`atelier://posts/${post.id}`] };
    const { session } = await initialize(client);
    const earlyStream = await listen(client, filter);
    const load = startLoad();
    await startTask(5); // without a task, the server would stop listening if the load paused for a second
    const signaledAt = performance.now();
    try {
      service.main.terminate();
      await waitUntilDraining();
      const [lateStream, sessionStream] = await Promise.all([
        listen(client, filter),
        openSessionStream({ ...client, session }),
      ]);
      assert.equal(sessionStream.status, 200);
      await studio.call("update_post", { postId: post.id, revision: post.revision, title: "B" });
      await Promise.all([earlyStream, lateStream].map((stream) => stream.waitForUpdates(1)));
      await load.stop();
      await Promise.all([earlyStream, lateStream, sessionStream].map(({ ended }) => ended));
      assert.equal(await service.main.exited, 0, service.main.getOutput());
      // After 25 s, the server would close every connection that is still open.
      assert.ok(performance.now() - signaledAt < 20_000, "the streams end without the shutdown timeout");
    } finally {
      await load.stop();
    }
    await service.start();
  });

  test("a second signal ends the process immediately (C4)", async () => {
    const { status } = await startUpload();
    service.main.terminate();
    await waitUntilDraining(); // two signals at the same time would count as one
    const signaledAt = performance.now();
    service.main.terminate();
    assert.equal(await service.main.exited, 1);
    assert.ok(performance.now() - signaledAt < 5000);
    await assert.rejects(status);
  });

  test("interrupts an upload and a task if neither finishes, and exits with 0 (C4)", async () => {
    await service.start();
    const { status } = await startUpload();
    const readTask = await startTask(600);
    const signaledAt = performance.now();
    service.main.terminate();
    assert.equal(await service.main.exited, 0);
    const ms = performance.now() - signaledAt;
    assert.ok(ms > 10_000 && ms < 30_000, `${ms} ms`);
    await assert.rejects(status);
    await service.start();
    assert.match((await readTask()).error.message, /Call the tool again/);
  });
});
