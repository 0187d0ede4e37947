import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { toPostUri } from "#mcp/post-resources.ts";
import { waitUntil } from "../support/wait-until.ts";
import { createDeps, silentLog } from "../support/engines.ts";
import { openIdleStream } from "../support/idle-stream.ts";
import { measurePercentile } from "../support/latency.ts";
import { isLongRun } from "../support/long-run.ts";
import { useServiceProcess } from "../support/service-process.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

const streamCount = isLongRun ? 10_000 : 500;
const streamsPerGrant = 20;
const maxBytesPerStream = 25 * 1024; // 250 MB for ten thousand

interface Follower {
  token: string;
  postUri: string;
}

describe("idle streams", () => {
  const service = useServiceProcess(() => ({ env: { LOG_LEVEL: "info" } }));
  const followers: Follower[] = [];
  const sockets: Socket[] = [];

  before(async () => {
    const database = await openDatabase({ ...service.location, log: silentLog });
    const deps = { ...createDeps(database, systemClock), baseUrl: service.base };
    for (let i = 0; i < streamCount / streamsPerGrant; i++) {
      const owner = await newStudio(deps);
      const { id } = await createPost(deps, owner, { title: "Followed", body: "" });
      followers.push({ token: (await createTestGrant(deps, owner)).token, postUri: toPostUri(id) });
    }
    await database.close();
  });
  after(() => sockets.forEach((socket) => socket.destroy()));

  async function listen({ token, postUri }: Follower): Promise<string> {
    const { socket, received } = await openIdleStream(service.base, token, { resourceSubscriptions: [postUri] });
    sockets.push(socket);
    return received;
  }

  const measureP95 = () => measurePercentile(95, 200, () => service.studio.call("whoami"));

  test(`${streamCount} streams: each needs little memory, other calls stay fast, and the number per grant is limited (X2)`, async (t) => {
    await measureP95();
    const baselineBeforeMs = await measureP95();
    const memoryBefore = service.main.getMemoryBytes();
    for (const follower of followers) {
      const responses = await Promise.all(Array.from({ length: streamsPerGrant }, () => listen(follower)));
      for (const response of responses) assert.match(response, /^HTTP\/1\.1 200 [\s\S]*subscriptions\/acknowledged/);
    }
    const underLoadMs = Math.min(await measureP95(), await measureP95());
    const bytesPerStream = (service.main.getMemoryBytes() - memoryBefore) / streamCount;
    const [firstFollower = assert.fail()] = followers;
    assert.match(await listen(firstFollower), /Subscription limit reached/);
    for (const socket of sockets.splice(0)) socket.destroy();
    await waitUntil(async () => /subscriptions\/acknowledged/.test(await listen(firstFollower)), {
      description: "closed streams no longer count",
    });
    // Measures again afterwards, so that other load on this machine does not count against the streams.
    const baselineMs = Math.max(baselineBeforeMs, await measureP95());
    t.diagnostic(
      `${(bytesPerStream / 1024).toFixed(1)} KB per stream; p95 ${baselineMs.toFixed(1)} ms without streams, ${underLoadMs.toFixed(1)} ms with ${streamCount}`,
    );
    // With few streams, the process's memory varies more than the streams use, so the limit is at least 60 MB.
    assert.ok(
      bytesPerStream * streamCount < Math.max(maxBytesPerStream * streamCount, 60 * 1024 ** 2),
      `${bytesPerStream} bytes per stream`,
    );
    assert.ok(underLoadMs < baselineMs * 1.5 + 25, `${baselineMs} ms without streams, ${underLoadMs} ms with them`);

    const signaledAt = performance.now();
    service.main.terminate();
    const lastSocket = sockets.at(-1);
    await once(lastSocket ?? assert.fail(), "close");
    assert.equal(await service.main.exited, 0);
    // After 25 s, the server would close every connection that is still open.
    assert.ok(performance.now() - signaledAt < 20_000, "open streams do not delay the shutdown");
  });
});
