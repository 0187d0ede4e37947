import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createReadyzHandler } from "#http/health-routes.ts";
import type { RequestContext } from "#http/server.ts";

test("however many ask whether we are ready, database and store are asked once a second (L6, X7)", async () => {
  let asked = 0;
  let works = true;
  const check = async () => {
    asked++;
    await sleep(20);
    if (!works) throw new Error("gone");
  };
  let draining = false;
  const handle = createReadyzHandler([{ name: "store", check }], () => draining);
  const status = async (): Promise<number> => {
    let found = 0;
    const writeHead = (code: number) => {
      found = code;
      return { end: () => {} };
    };
    await handle({} as IncomingMessage, { writeHead } as unknown as ServerResponse, {} as RequestContext);
    return found;
  };
  assert.deepEqual([...new Set(await Promise.all(Array.from({ length: 100 }, status)))], [200]);
  assert.equal(asked, 1);
  works = false;
  await sleep(1100);
  assert.equal(await status(), 503);
  assert.equal(asked, 2);
  works = true;
  await sleep(1100);
  assert.equal(await status(), 200);
  draining = true;
  assert.equal(await status(), 503, "that we leave is said at once");
  assert.equal(asked, 3);
});
