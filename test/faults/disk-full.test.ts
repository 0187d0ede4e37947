import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callModern } from "../support/mcp.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain } from "../support/main-process.ts";
import { buildStraceCommand } from "../support/strace.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudioClient } from "../support/studio-client.ts";
import { skipWithout } from "../support/find-program.ts";

/** Of each thread, these calls fail. */
const faults = [
  { name: "a full disk", systemCall: "pwrite64", error: "ENOSPC", first: 600, last: 700 },
  { name: "a log that can't be synced", systemCall: "fdatasync", error: "EIO", first: 10, last: 20 },
];

/** Tests writes of the database; disk-store.test.ts tests those of the disk store. */
describe("a disk that fails under the database", { skip: skipWithout("strace") }, () => {
  for (const fault of faults) testFault(fault);
});

function testFault({ name, systemCall, error, first, last }: (typeof faults)[number]): void {
  test(`${name}: each write fails with storage_unavailable, reads continue, and writes succeed afterwards (RUN-4, ERR-storage_unavailable)`, async () => {
    const folder = createTempFolder();
    const base = await findFreeBaseUrl();
    const env = { PORT: new URL(base).port, BASE_URL: base, DATA_DIR: `${folder.path}/data`, RATE_LIMITS: "off" };
    const straceCommand = buildStraceCommand(systemCall, `error=${error}:when=${first}..${last}`);
    await (await startMain(env)).kill(); // The first start migrates the database, which takes many writes.
    const service = await startMain(env, straceCommand);
    try {
      const studio = await newStudioClient(base);
      const caller = { url: `${base}/mcp`, token: studio.tokens.access_token };
      const createdIds: string[] = [];
      const outcomesSinceFailure: string[] = [];
      for (let i = 0; i < 400 && (outcomesSinceFailure.length === 0 || outcomesSinceFailure.at(-1) !== "ok"); i++) {
        const input = { title: `P${i}`, body: "x".repeat(3000) };
        const { json } = await callModern(caller, "tools/call", { name: "create_post", arguments: input });
        const { isError, structuredContent } = json.result;
        if (!isError) createdIds.push(structuredContent.id);
        if (isError || outcomesSinceFailure.length > 0)
          outcomesSinceFailure.push(isError ? structuredContent.code : "ok");
        if (isError)
          assert.equal((await studio.call("get_post", { postId: createdIds[0] })).id, createdIds[0], "reads continue");
      }
      assert.ok(
        createdIds.length > 0 && outcomesSinceFailure.length > 1,
        `${createdIds.length} created, then ${outcomesSinceFailure.join()}`,
      );
      assert.deepEqual([...new Set(outcomesSinceFailure)], ["storage_unavailable", "ok"]);
      for (const postId of createdIds.slice(-20)) assert.equal((await studio.call("get_post", { postId })).id, postId);
    } finally {
      await service.kill();
      folder.remove();
    }
  });
}
