import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient, type StudioClient } from "../support/studio-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const uploads = 50;
const callsPerSecond = 200;

async function statusOf(req: ClientRequest): Promise<number> {
  const [res] = (await once(req, "response")) as [IncomingMessage];
  res.resume();
  return res.statusCode ?? 0;
}

describe("SIGTERM", () => {
  const folder = createTempFolder();
  let base: string;
  let service: MainProcess;
  let studio: StudioClient;

  const start = () =>
    startMain({ PORT: new URL(base).port, BASE_URL: base, DATA_DIR: `${folder.path}/data`, RATE_LIMITS: "off" });

  before(async () => {
    base = await findFreeBaseUrl();
    service = await start();
    studio = await newStudioClient(base);
  });
  after(async () => {
    await service?.kill();
    folder.remove();
  });

  async function untilDraining(): Promise<void> {
    const ready = async (): Promise<unknown> => (await fetch(`${base}/readyz`)).json();
    await waitUntil(async () => isDeepStrictEqual(await ready(), { status: "not ready", failing: ["draining"] }));
  }

  interface Sent {
    assetId: string;
    finish(): void;
    answer: Promise<number>;
  }

  /** A PUT whose first half is on its way and whose second half waits. */
  async function beginUpload(): Promise<Sent> {
    const asked = await studio.call("request_asset_upload", { kind: "document", mimeType: "text/plain" });
    const content = Buffer.from(randomBytes(40_000).toString("hex"));
    const headers = { "content-length": content.length };
    const req: ClientRequest = request(asked.uploadUrl, { method: "PUT", headers, agent: false });
    const answer = statusOf(req);
    answer.catch(() => {});
    req.write(content.subarray(0, content.length / 2));
    return { assetId: asked.assetId, answer, finish: () => void req.end(content.subarray(content.length / 2)) };
  }

  /** Calls at a steady pace over kept connections, as a proxy makes them, until the door is shut. */
  function load(): { stop(): Promise<Map<string, number>> } {
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    const outcomes = new Map<string, number>();
    const running: Promise<void>[] = [];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "whoami" } });
    const one = async (): Promise<void> => {
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
      const outcome = await statusOf(req).then(String, (error: NodeJS.ErrnoException) => error.code ?? error.message);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    };
    const timer = setInterval(() => running.push(one()), 1000 / callsPerSecond);
    return {
      async stop() {
        clearInterval(timer);
        await Promise.all(running);
        agent.destroy();
        return outcomes;
      },
    };
  }

  test("not ready first, accepted work finishes, nothing is cut, and it leaves with 0 within 30 s (C4)", async () => {
    const post = await studio.call("create_post", { title: "A", body: "" });
    const sent = await Promise.all(Array.from({ length: uploads }, beginUpload));
    const running = load();
    await sleep(500);
    const asked = performance.now();
    service.terminate();
    await untilDraining();
    assert.equal((await fetch(`${base}/healthz`)).status, 200, "it says so, and still serves");
    await sleep(2000);
    const outcomes = await running.stop();
    for (const { finish } of sent) finish();
    const statuses = await Promise.all(sent.map(({ answer }) => answer));
    assert.deepEqual(new Set(statuses), new Set([200]), "every upload that was accepted is finished");
    assert.equal(await service.exited, 0, service.getOutput());
    assert.ok(performance.now() - asked < 30_000);
    assert.deepEqual([...outcomes.keys()], ["200"], "no call was cut or refused");
    assert.ok((outcomes.get("200") ?? 0) > 100);

    service = await start();
    const { assetId } = sent[0] ?? { assetId: "" };
    const { status } = await studio.call("attach_asset", { postId: post.id, assetId });
    assert.equal(status, "ready", "and what was sent is there");
  });

  test("a second signal ends it at once (C4)", async () => {
    const { answer } = await beginUpload();
    service.terminate();
    await untilDraining(); // two signals that come together are one
    const asked = performance.now();
    service.terminate();
    assert.equal(await service.exited, 1);
    assert.ok(performance.now() - asked < 5000);
    await assert.rejects(answer);
  });

  test("who never finishes is cut in time, and it leaves with 0 (C4)", async () => {
    service = await start();
    const { answer } = await beginUpload();
    const asked = performance.now();
    service.terminate();
    assert.equal(await service.exited, 0);
    const ms = performance.now() - asked;
    assert.ok(ms > 10_000 && ms < 30_000, `${ms} ms`);
    await assert.rejects(answer);
  });
});
