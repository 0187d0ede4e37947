import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Deps } from "#domain/ports/deps.ts";
import { openDatabase } from "#db/open-database.ts";
import { createCallLimiter, type CallLimiter } from "#domain/access/call-limiter.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { enforceRateLimit, type RateLimitName, rateLimits, unlimitedRateLimitStore } from "#domain/steps/rate-limit.ts";
import { toProblem } from "#http/problem.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { countAllowedCalls } from "../support/call-limits.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, forOneEngine, silentLog } from "../support/engines.ts";
import { callModern } from "../support/mcp.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

forOneEngine("rate limits", (fixture) => {
  const listRows = async () => fixture.database.q.selectFrom("rateLimits").selectAll().execute();

  const hit = (name: RateLimitName, key: string) => getOutcome(enforceRateLimit(fixture.deps, name, key));

  /** Twenty at a time, because all wait for the same row. */
  async function hitRepeatedly(name: RateLimitName, key: string, count: number): Promise<string[]> {
    const outcomes: string[] = [];
    while (outcomes.length < count) {
      const length = Math.min(20, count - outcomes.length);
      outcomes.push(...(await Promise.all(Array.from({ length }, () => hit(name, key)))));
    }
    return outcomes;
  }

  async function getRejection(name: RateLimitName, key: string): Promise<AppError> {
    const error: unknown = await enforceRateLimit(fixture.deps, name, key).catch((rejection: unknown) => rejection);
    assert.ok(error instanceof AppError);
    return error;
  }

  /** Another instance of the service on the same database. */
  async function createOtherInstance(t: TestContext): Promise<Deps> {
    const database = await openDatabase({ ...fixture.location, log: silentLog });
    t.after(() => database.close());
    return createDeps(database, fixture.clock);
  }

  test("allows twenty registrations an hour per IP address, then responds 429 with Retry-After (A26, ERR-rate_limited)", async () => {
    const untilNextHour = hours(1) - (fixture.clock() % hours(1));
    fixture.clock.advance(untilNextHour + minutes(15));
    for (let i = 0; i < 20; i++) assert.equal(await hit("registration", "192.0.2.1"), "ok");
    const rejection = await getRejection("registration", "192.0.2.1");
    const { status, headers, body } = toProblem(rejection, "req_x", silentLog);
    assert.deepEqual([status, body.code, headers["retry-after"]], [429, "rate_limited", String(45 * 60)]);
    assert.match(body.hint ?? "", /45 minutes/);
    assert.equal(await hit("registration", "192.0.2.2"), "ok", "other IP addresses are not limited");
    assert.equal(await hit("token", "192.0.2.1"), "ok", "other limits are not affected");
    fixture.clock.advance(minutes(45) - 1);
    assert.equal(await hit("registration", "192.0.2.1"), "rate_limited");
    fixture.clock.advance(1);
    assert.equal(await hit("registration", "192.0.2.1"), "ok", "a new hour");
  });

  test("counts parallel hits from several instances exactly (A26)", async (t) => {
    const otherInstance = await createOtherInstance(t);
    for (const key of ["192.0.2.10", "192.0.2.20", "192.0.2.30"]) {
      const hits = Array.from({ length: 40 }, (_, i) =>
        enforceRateLimit(i % 2 === 0 ? fixture.deps : otherInstance, "registration", key),
      );
      assert.deepEqual(await countOutcomes(hits), { ok: 20, rate_limited: 20 });
    }
  });

  test("counts tool calls in memory and shares the counts between instances on sync", async (t) => {
    const otherInstance = await createOtherInstance(t);
    fixture.clock.advance(minutes(1) - (fixture.clock() % minutes(1)));
    const [firstLimiter, secondLimiter] = [fixture.deps, otherInstance].map((deps) =>
      createCallLimiter(deps, "calls", { perMinute: 10 }),
    ) as [CallLimiter, CallLimiter];
    assert.equal(countAllowedCalls(firstLimiter, 6), 6);
    assert.equal(countAllowedCalls(secondLimiter, 6), 6, "before a sync neither limiter knows the other's calls");
    await firstLimiter.sync();
    await secondLimiter.sync();
    assert.deepEqual(
      [countAllowedCalls(firstLimiter, 1), countAllowedCalls(secondLimiter, 1)],
      [1, 0],
      "the last limiter to sync knows all calls",
    );
    await firstLimiter.sync();
    assert.deepEqual([countAllowedCalls(firstLimiter, 5), countAllowedCalls(secondLimiter, 5)], [0, 0]);
    assert.equal(countAllowedCalls(firstLimiter, 3, "ben"), 3, "other users are not limited");
    fixture.clock.advance(minutes(1) + seconds(30));
    assert.equal(countAllowedCalls(firstLimiter, 20), 4, "half of the previous minute's calls still count");
    fixture.clock.advance(minutes(2));
    assert.equal(countAllowedCalls(firstLimiter, 20), 10);
  });

  test("many requests with one key store one row, which the purge deletes after its window (A26, X7)", async () => {
    const key = "registration 198.51.100.1";
    await hitRepeatedly("registration", "198.51.100.1", 100);
    const listOwnRows = async () => (await listRows()).filter((row) => row.key === key);
    assert.deepEqual(
      (await listOwnRows()).map(({ hits }) => hits),
      [20],
      "rejected hits are not written",
    );
    const purge = createPurgeJob(fixture.deps);
    await purge(untilDone);
    assert.equal((await listOwnRows()).length, 1, "the window is still open");
    fixture.clock.advance(hours(1));
    await purge(untilDone);
    assert.equal((await listOwnRows()).length, 0);
  });

  test("every limit allows exactly its number of hits and returns a retry time", async () => {
    for (const [name, { hits, windowMs }] of Object.entries(rateLimits)) {
      const outcomes = await hitRepeatedly(name as RateLimitName, "203.0.113.9", hits + 5);
      assert.equal(outcomes.filter((outcome) => outcome === "ok").length, hits, name);
      const { retryAfter = 0 } = await getRejection(name as RateLimitName, "203.0.113.9");
      assert.ok(retryAfter >= 1 && retryAfter * 1000 <= windowMs, name);
    }
  });

  test("counts nothing when rate limits are switched off (VAR-RATE_LIMITS)", async () => {
    const rowsBefore = await listRows();
    const deps = { ...fixture.deps, rateLimits: unlimitedRateLimitStore };
    for (let i = 0; i < 50; i++) await enforceRateLimit(deps, "registration", "192.0.2.77");
    assert.deepEqual(await listRows(), rowsBefore);
  });

  test("allows 600 web API calls a minute per user, then responds 429 with Retry-After (ERR-rate_limited, X7)", async (t) => {
    fixture.clock.advance(minutes(2) - (fixture.clock() % minutes(1)) + seconds(20));
    const server = await startApiServer(fixture.deps);
    t.after(() => server.close());
    const [ann, ben] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const cookie = await server.signIn(ann);
    const statuses: number[] = [];
    for (let i = 0; i < 600; i += 20) {
      const calls = Array.from({ length: 20 }, () => call(server, "GET", "/api/me", { cookie }));
      statuses.push(...(await Promise.all(calls)).map(({ status }) => status));
    }
    assert.ok(statuses.every((status) => status === 200));
    for (const [method, path] of [
      ["GET", "/api/me"],
      ["GET", `/api/studios/${ann.studio.id}/posts?query=x`],
      ["POST", `/api/studios/${ann.studio.id}/posts`],
    ] as const) {
      const response = await call(server, method, path, { cookie });
      assertProblem(response, 429, "rate_limited", path);
      assert.equal(response.headers.get("retry-after"), "40");
    }
    const otherResponse = await call(server, "GET", "/api/me", { cookie: await server.signIn(ben) });
    assert.equal(otherResponse.status, 200, "other users have their own limit");
    const { token } = await createTestGrant(server.deps, ann);
    const tool = await callModern({ url: `${server.base}/mcp`, token }, "tools/call", { name: "whoami" });
    assert.equal(tool.json.result.isError, undefined, "the user's AI clients have their own limit");
    fixture.clock.advance(minutes(2));
    assert.equal((await call(server, "GET", "/api/me", { cookie })).status, 200);
  });

  test("rounds the retry time up to whole seconds", async () => {
    fixture.clock.advance(minutes(1) - (fixture.clock() % minutes(1)) + seconds(59) + 999);
    await hitRepeatedly("token", "192.0.2.5", rateLimits.token.hits);
    assert.equal((await getRejection("token", "192.0.2.5")).retryAfter, 1, "never 0");
  });
});
