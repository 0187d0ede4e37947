import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createReadyzHandler } from "#http/health-routes.ts";
import type { RequestContext } from "#http/server.ts";

test("checks dependencies at most once a second, regardless of the number of readiness requests (L6, X7)", async () => {
  let checkCount = 0;
  let isAvailable = true;
  const check = async () => {
    checkCount++;
    await sleep(20);
    if (!isAvailable) throw new Error("unavailable");
  };
  let isDraining = false;
  const handleReadyz = createReadyzHandler([{ name: "store", check }], () => isDraining);
  const getStatus = async (): Promise<number> => {
    let statusCode = 0;
    const writeHead = (code: number) => {
      statusCode = code;
      return { end: () => {} };
    };
    await handleReadyz({} as IncomingMessage, { writeHead } as unknown as ServerResponse, {} as RequestContext);
    return statusCode;
  };
  assert.deepEqual([...new Set(await Promise.all(Array.from({ length: 100 }, getStatus)))], [200]);
  assert.equal(checkCount, 1);
  isAvailable = false;
  await sleep(1100);
  assert.equal(await getStatus(), 503);
  assert.equal(checkCount, 2);
  isAvailable = true;
  await sleep(1100);
  assert.equal(await getStatus(), 200);
  isDraining = true;
  assert.equal(await getStatus(), 503, "draining takes effect at once");
  assert.equal(checkCount, 3);
});
