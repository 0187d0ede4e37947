import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
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
import { getClientIpKey } from "#http/client-ip.ts";
import { toProblem } from "#http/problem.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { parseIpAddressSet } from "#lib/ip-address.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { callModern } from "../support/mcp.ts";
import { getOutcome, countOutcomes } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { createTestGrant } from "../support/tokens.ts";

forEachEngine("rate limits", (fixture) => {
  const rows = async () => fixture.database.q.selectFrom("rate_limits").selectAll().execute();

  test("twenty registrations an hour from one address, then 429 with Retry-After (A26, ERR-rate_limited)", async () => {
    const begins = hours(1) - (fixture.clock() % hours(1));
    fixture.clock.advance(begins + minutes(15));
    for (let i = 0; i < 20; i++)
      assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.1")), "ok");
    const refusal: unknown = await enforceRateLimit(fixture.deps, "registration", "192.0.2.1").catch(
      (error: unknown) => error,
    );
    assert.ok(refusal instanceof AppError);
    const { status, headers, body } = toProblem(refusal, "req_x", silentLog);
    assert.deepEqual([status, body.code, headers["retry-after"]], [429, "rate_limited", String(45 * 60)]);
    assert.match(body.hint ?? "", /45 minutes/);
    assert.equal(
      await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.2")),
      "ok",
      "others are not meant",
    );
    assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "token", "192.0.2.1")), "ok", "nor other things");
    fixture.clock.advance(minutes(45) - 1);
    assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.1")), "rate_limited");
    fixture.clock.advance(1);
    assert.equal(await getOutcome(enforceRateLimit(fixture.deps, "registration", "192.0.2.1")), "ok", "a new hour");
  });

  test("exact under any number of parallel hits, from several instances (A26)", async () => {
    const second = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      const instances = [fixture.deps, createDeps(second, fixture.clock)];
      for (const round of [1, 2, 3]) {
        const hits = Array.from({ length: 200 }, (_, i) =>
          enforceRateLimit(instances[i % 2] ?? fixture.deps, "registration", `192.0.2.${round * 10}`),
        );
        assert.deepEqual(await countOutcomes(hits), { ok: 20, rate_limited: 180 });
      }
    } finally {
      await second.close();
    }
  });

  test("tool calls are counted in memory and shared by all instances when they settle", async () => {
    const second = await openDatabase({ ...fixture.location, log: silentLog });
    try {
      fixture.clock.advance(minutes(1) - (fixture.clock() % minutes(1)));
      const [one, two] = [fixture.deps, createDeps(second, fixture.clock)].map((deps) =>
        createCallLimiter(deps, "calls", { perMinute: 10 }),
      ) as [CallLimiter, CallLimiter];
      const accepted = ({ check: count }: CallLimiter, tries: number, key = "ann") =>
        Array.from({ length: tries }, () => count(key)).filter((refusal) => refusal === undefined).length;
      assert.equal(accepted(one, 6), 6);
      assert.equal(accepted(two, 6), 6, "before they settle, neither knows of the other");
      await one.sync();
      await two.sync();
      assert.deepEqual([accepted(one, 1), accepted(two, 1)], [1, 0], "the last to settle knows of all");
      await one.sync();
      assert.deepEqual([accepted(one, 5), accepted(two, 5)], [0, 0]);
      assert.equal(accepted(one, 3, "ben"), 3, "others are not meant");
      fixture.clock.advance(minutes(1) + seconds(30));
      assert.equal(accepted(one, 20), 4, "half of the minute before still counts");
      fixture.clock.advance(minutes(2));
      assert.equal(accepted(one, 20), 10);
    } finally {
      await second.close();
    }
  });

  test("a flood leaves one row, which the purge takes when its window is over (A26, X7)", async () => {
    const key = "registration 198.51.100.1";
    await countOutcomes(
      Array.from({ length: 300 }, () => enforceRateLimit(fixture.deps, "registration", "198.51.100.1")),
    );
    const mine = async () => (await rows()).filter((row) => row.key === key);
    assert.deepEqual(
      (await mine()).map(({ hits }) => hits),
      [20],
      "what is refused is not even written",
    );
    const purge = createPurgeJob(fixture.deps);
    const options = { pause: async () => {}, shouldStop: () => false };
    await purge(options);
    assert.equal((await mine()).length, 1, "still counting");
    fixture.clock.advance(hours(1));
    await purge(options);
    assert.equal((await mine()).length, 0);
  });

  test("every limit holds to its number, and says when to come back", async () => {
    for (const [name, { hits, window }] of Object.entries(rateLimits)) {
      const work = Array.from({ length: hits + 5 }, () =>
        enforceRateLimit(fixture.deps, name as RateLimitName, "203.0.113.9"),
      );
      assert.deepEqual(await countOutcomes(work), { ok: hits, rate_limited: 5 }, name);
      const refusal: unknown = await enforceRateLimit(fixture.deps, name as RateLimitName, "203.0.113.9").catch(
        (error: unknown) => error,
      );
      assert.ok(
        refusal instanceof AppError &&
          refusal.retryAfter !== undefined &&
          refusal.retryAfter >= 1 &&
          refusal.retryAfter * 1000 <= window,
        name,
      );
    }
  });

  test("switched off, nothing is counted (VAR-RATE_LIMITS)", async () => {
    const before = await rows();
    const deps = { ...fixture.deps, rateLimits: unlimitedRateLimitStore };
    for (let i = 0; i < 50; i++) await enforceRateLimit(deps, "registration", "192.0.2.77");
    assert.deepEqual(await rows(), before);
  });

  test("one network has one counter, however its addresses are spelled (X5, A26)", async () => {
    const none = parseIpAddressSet([])!;
    const from = (remoteAddress: string): IncomingMessage =>
      ({ socket: { remoteAddress }, headers: {} }) as IncomingMessage;
    fixture.clock.advance(hours(1));
    const hits = Array.from({ length: 60 }, (_, i) =>
      enforceRateLimit(
        fixture.deps,
        "registration",
        getClientIpKey(from(`2001:db8:1:2:${i.toString(16)}::${i}`), none),
      ),
    );
    assert.deepEqual(await countOutcomes(hits), { ok: 20, rate_limited: 40 });
    assert.equal(
      await getOutcome(enforceRateLimit(fixture.deps, "registration", getClientIpKey(from("2001:DB8:1:2::1"), none))),
      "rate_limited",
    );
    assert.equal(
      await getOutcome(enforceRateLimit(fixture.deps, "registration", getClientIpKey(from("2001:db8:1:3::1"), none))),
      "ok",
    );
  });

  test("over HTTP: of thirty registrations at once twenty are taken, and forged headers change nothing (A26, X5)", async () => {
    fixture.clock.advance(hours(1));
    const service = await startService(fixture.deps);
    try {
      const register = (i: number, forged: Record<string, string> = {}) =>
        call(service, "POST", "/api/auth/mcp/register", {
          body: {
            client_name: `Client ${i}`,
            redirect_uris: ["http://localhost/callback"],
            token_endpoint_auth_method: "none",
          },
          headers: { origin: undefined, "sec-fetch-site": undefined, ...forged },
        });
      const forge = (i: number) => ({
        "x-forwarded-for": `198.51.100.${i}`,
        forwarded: `for=198.51.100.${i}`,
        "x-real-ip": `198.51.100.${i}`,
      });
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => register(i, i % 2 === 0 ? {} : forge(i))));
      const answered = (wanted: number) => answers.filter(({ status }) => status === wanted);
      assert.deepEqual([answered(201).length, answered(429).length], [20, 10]);
      for (const { headers } of answered(429)) {
        assert.ok(Number(headers.get("retry-after")) >= 1 && Number(headers.get("retry-after")) <= 3600);
      }
      const clients = async () => (await fixture.database.q.selectFrom("oauth_clients").select("id").execute()).length;
      assert.equal(await clients(), 20);
      fixture.clock.advance(hours(24));
      await createPurgeJob(fixture.deps)({ pause: async () => {}, shouldStop: () => false });
      assert.equal(await clients(), 0, "never used, gone a day later");
    } finally {
      await service.close();
    }
  });

  test("the web API has the tools' limit: 600 calls a minute of one user, then 429 with Retry-After (ERR-rate_limited, X7)", async () => {
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
      assert.deepEqual([statuses.length, ...new Set(statuses)], [600, 200]);
      for (const [method, path] of [
        ["GET", "/api/me"],
        ["GET", `/api/studios/${ann.studio.id}/posts?query=x`],
        ["POST", `/api/studios/${ann.studio.id}/posts`],
      ] as const) {
        const answer = await call(server, method, path, { cookie });
        assertProblem(answer, 429, "rate_limited", path);
        assert.equal(answer.headers.get("retry-after"), "40");
      }
      const others = await call(server, "GET", "/api/me", { cookie: await server.signIn(ben) });
      assert.equal(others.status, 200, "other users have their own count");
      const { token } = await createTestGrant(server.deps, ann);
      const tool = await callModern({ url: `${server.base}/mcp`, token }, "tools/call", { name: "whoami" });
      assert.equal(tool.json.result.isError, undefined, "so do the user's AI clients");
      fixture.clock.advance(minutes(2));
      assert.equal((await call(server, "GET", "/api/me", { cookie })).status, 200);
    } finally {
      await server.close();
    }
  });

  test("a window is over on time also where a second has parts", async () => {
    fixture.clock.advance(minutes(1) - (fixture.clock() % minutes(1)) + seconds(59) + 999);
    await countOutcomes(
      Array.from({ length: rateLimits.token.hits }, () => enforceRateLimit(fixture.deps, "token", "192.0.2.5")),
    );
    const refusal: unknown = await enforceRateLimit(fixture.deps, "token", "192.0.2.5").catch(
      (error: unknown) => error,
    );
    assert.equal((refusal as AppError).retryAfter, 1, "never 0");
  });
});
