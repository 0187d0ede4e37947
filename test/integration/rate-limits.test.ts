import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { createCallLimiter, type CallLimiter } from "#domain/access/call-limiter.ts";
import { createPurgeJob } from "#domain/housekeeping/purge-expired.ts";
import {
  enforceRateLimit,
  rateLimits,
  unlimitedRateLimitStore,
  type RateLimitName,
} from "#domain/access/rate-limit.ts";
import { toProblem } from "#http/problem.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, forOneEngine, silentLog } from "../support/engines.ts";
import { callModern } from "../support/mcp.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

forOneEngine("rate limits", (fixture) => {
  const listRows = async () => fixture.database.q.selectFrom("rate_limits").selectAll().execute();

  test("allows twenty registrations an hour per IP address, then responds 429 with Retry-After (A26, ERR-rate_limited)", async () => {
    const untilNextHour = hours(1) - (fixture.clock() % hours(1));
    fixture.clock.advance(untilNextHour + minutes(15));
    for (let i = 0; i < 20; i++)
      assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.1")), "ok");
    const rejection: unknown = await enforceRateLimit(fixture.deps, "registration", "192.0.2.1").catch(
      (error: unknown) => error,
    );
    assert.ok(rejection instanceof AppError);
    const { status, headers, body } = toProblem(rejection, "req_x", silentLog);
    assert.deepEqual([status, body.code, headers["retry-after"]], [429, "rate_limited", String(45 * 60)]);
    assert.match(body.hint ?? "", /45 minutes/);
    assert.equal(
      await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.2")),
      "ok",
      "other IP addresses are not limited",
    );
    assert.equal(
      await getOutcome(enforceRateLimit(fixture.deps, "token", "192.0.2.1")),
      "ok",
      "other limits are not affected",
    );
    fixture.clock.advance(minutes(45) - 1);
    assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.1")), "rate_limited");
    fixture.clock.advance(1);
    assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.1")), "ok", "a new hour");
  });

  test("counts parallel hits from several instances exactly (A26)", async () => {
    const secondDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const instances = [fixture.deps, createDeps(secondDatabase, fixture.clock)];
      for (const round of [1, 2, 3]) {
        const hits = Array.from({ length: 200 }, (_, i) =>
          enforceRateLimit(instances[i % 2] ?? fixture.deps, "registration", `192.0.2.${round * 10}`),
        );
        assert.deepEqual(await countOutcomes(hits), { ok: 20, rate_limited: 180 });
      }
    } finally {
      await secondDatabase.close();
    }
  });

  test("counts tool calls in memory and shares the counts between instances on sync", async () => {
    const secondDatabase = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      fixture.clock.advance(minutes(1) - (fixture.clock() % minutes(1)));
      const [firstLimiter, secondLimiter] = [fixture.deps, createDeps(secondDatabase, fixture.clock)].map((deps) =>
        createCallLimiter(deps, "calls", { perMinute: 10 }),
      ) as [CallLimiter, CallLimiter];
      const countAccepted = ({ check }: CallLimiter, callCount: number, key = "ann") =>
        Array.from({ length: callCount }, () => check(key)).filter((rejection) => rejection === undefined).length;
      assert.equal(countAccepted(firstLimiter, 6), 6);
      assert.equal(countAccepted(secondLimiter, 6), 6, "before a sync neither limiter knows the other's calls");
      await firstLimiter.sync();
      await secondLimiter.sync();
      assert.deepEqual(
        [countAccepted(firstLimiter, 1), countAccepted(secondLimiter, 1)],
        [1, 0],
        "the last limiter to sync knows all calls",
      );
      await firstLimiter.sync();
      assert.deepEqual([countAccepted(firstLimiter, 5), countAccepted(secondLimiter, 5)], [0, 0]);
      assert.equal(countAccepted(firstLimiter, 3, "ben"), 3, "other users are not limited");
      fixture.clock.advance(minutes(1) + seconds(30));
      assert.equal(countAccepted(firstLimiter, 20), 4, "half of the previous minute's calls still count");
      fixture.clock.advance(minutes(2));
      assert.equal(countAccepted(firstLimiter, 20), 10);
    } finally {
      await secondDatabase.close();
    }
  });

  test("many requests with one key store one row, which the purge deletes after its window (A26, X7)", async () => {
    const key = "registration 198.51.100.1";
    await countOutcomes(
      Array.from({ length: 300 }, () => enforceRateLimit(fixture.deps, "registration", "198.51.100.1")),
    );
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
      const calls = Array.from({ length: hits + 5 }, () =>
        enforceRateLimit(fixture.deps, name as RateLimitName, "203.0.113.9"),
      );
      assert.deepEqual(await countOutcomes(calls), { ok: hits, rate_limited: 5 }, name);
      const rejection: unknown = await enforceRateLimit(fixture.deps, name as RateLimitName, "203.0.113.9").catch(
        (error: unknown) => error,
      );
      assert.ok(
        rejection instanceof AppError &&
          rejection.retryAfter !== undefined &&
          rejection.retryAfter >= 1 &&
          rejection.retryAfter * 1000 <= windowMs,
        name,
      );
    }
  });

  test("counts nothing when rate limits are switched off (VAR-RATE_LIMITS)", async () => {
    const rowsBefore = await listRows();
    const deps = { ...fixture.deps, rateLimits: unlimitedRateLimitStore };
    for (let i = 0; i < 50; i++) await enforceRateLimit(deps, "registration", "192.0.2.77");
    assert.deepEqual(await listRows(), rowsBefore);
  });

  test("allows 600 web API calls a minute per user, then responds 429 with Retry-After (ERR-rate_limited, X7)", async () => {
    fixture.clock.advance(minutes(2) - (fixture.clock() % minutes(1)) + seconds(20));
    const server = await startApiServer(fixture.deps);
    try {
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
    } finally {
      await server.close();
    }
  });

  test("rounds the retry time up to whole seconds", async () => {
    fixture.clock.advance(minutes(1) - (fixture.clock() % minutes(1)) + seconds(59) + 999);
    await countOutcomes(
      Array.from({ length: rateLimits.token.hits }, () => enforceRateLimit(fixture.deps, "token", "192.0.2.5")),
    );
    const rejection: unknown = await enforceRateLimit(fixture.deps, "token", "192.0.2.5").catch(
      (error: unknown) => error,
    );
    assert.equal((rejection as AppError).retryAfter, 1, "never 0");
  });
});
