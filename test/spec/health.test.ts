import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { test } from "node:test";
import { createReadyzHandler } from "#http/health-routes.ts";
import type { RequestContext } from "#http/server.ts";

test("checks dependencies at most once a second, regardless of the number of readiness requests (L6, X7)", async () => {
  let checkCount = 0;
  let isAvailable = true;
  const check = async () => {
    checkCount++;
    if (!isAvailable) throw new Error("unavailable");
  };
  let isDraining = false;
  let now = 0;
  const handleReadyz = createReadyzHandler(
    [{ name: "store", check }],
    () => isDraining,
    () => now,
  );
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
  now += 1000;
  assert.equal(await getStatus(), 200);
  now += 1;
  assert.equal(await getStatus(), 503);
  assert.equal(checkCount, 2);
  isAvailable = true;
  now += 1001;
  assert.equal(await getStatus(), 200);
  isDraining = true;
  assert.equal(await getStatus(), 503, "draining takes effect at once");
  assert.equal(checkCount, 3);
});

test("stays ready without what requests do not need, and names it (MAIL-6)", async () => {
  const unavailable = async () => {
    throw new Error("unavailable");
  };
  const handleReadyz = createReadyzHandler(
    [
      { name: "store", check: async () => {} },
      { name: "mail server", isOptional: true, check: unavailable },
    ],
    () => false,
  );
  const response: unknown[] = [];
  const writeHead = (code: number) => {
    response.push(code);
    return { end: (body: string) => response.push(JSON.parse(body)) };
  };
  await handleReadyz({} as IncomingMessage, { writeHead } as unknown as ServerResponse, {} as RequestContext);
  assert.deepEqual(response, [200, { status: "degraded", degraded: ["mail server"] }]);
});
