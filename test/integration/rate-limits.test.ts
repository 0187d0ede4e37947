import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { openDatabase } from "#db/open.ts";
import { createCallLimit, type CallLimit } from "#domain/access/call-limit.ts";
import { createPurge } from "#domain/housekeeping/purge-expired.ts";
import { countHit, rateLimits, unlimited, type RateLimit } from "#domain/access/rate-limit.ts";
import { addressKey } from "#http/client-address.ts";
import { toProblem } from "#http/problem.ts";
import { hours, minutes, seconds } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { parseIpAddressSet } from "#lib/ip-address.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { createDeps, forEachEngine, silent } from "../support/engines.ts";
import { modern } from "../support/mcp.ts";
import { outcome, tally } from "../support/outcome.ts";
import { newStudio } from "../support/people.ts";
import { startService } from "../support/service.ts";
import { approve } from "../support/tokens.ts";

forEachEngine("rate limits", (bed) => {
  const rows = async () => bed.database.q.selectFrom("rate_limits").selectAll().execute();

  test("[A26] [ERR-rate_limited] twenty registrations an hour from one address, then 429 with Retry-After", async () => {
    const begins = hours(1) - (bed.clock() % hours(1));
    bed.clock.advance(begins + minutes(15));
    for (let i = 0; i < 20; i++) assert.equal(await outcome(countHit(bed.deps, "registration", "192.0.2.1")), "ok");
    const refusal: unknown = await countHit(bed.deps, "registration", "192.0.2.1").catch((error: unknown) => error);
    assert.ok(refusal instanceof AppError);
    const { status, headers, body } = toProblem(refusal, "req_x", silent);
    assert.deepEqual([status, body.code, headers["retry-after"]], [429, "rate_limited", String(45 * 60)]);
    assert.match(body.hint ?? "", /45 minutes/);
    assert.equal(await outcome(countHit(bed.deps, "registration", "192.0.2.2")), "ok", "others are not meant");
    assert.equal(await outcome(countHit(bed.deps, "token", "192.0.2.1")), "ok", "nor other things");
    bed.clock.advance(minutes(45) - 1);
    assert.equal(await outcome(countHit(bed.deps, "registration", "192.0.2.1")), "rate_limited");
    bed.clock.advance(1);
    assert.equal(await outcome(countHit(bed.deps, "registration", "192.0.2.1")), "ok", "a new hour");
  });

  test("[A26] exact under any number of parallel hits, from several instances", async () => {
    const second = await openDatabase({ ...bed.place, log: silent });
    try {
      const instances = [bed.deps, createDeps(second, bed.clock)];
      for (const round of [1, 2, 3]) {
        const hits = Array.from({ length: 200 }, (_, i) =>
          countHit(instances[i % 2] ?? bed.deps, "registration", `192.0.2.${round * 10}`),
        );
        assert.deepEqual(await tally(hits), { ok: 20, rate_limited: 180 });
      }
    } finally {
      await second.close();
    }
  });

  test("tool calls are counted in memory and shared by all instances when they settle", async () => {
    const second = await openDatabase({ ...bed.place, log: silent });
    try {
      bed.clock.advance(minutes(1) - (bed.clock() % minutes(1)));
      const [one, two] = [bed.deps, createDeps(second, bed.clock)].map((deps) =>
        createCallLimit(deps, "calls", { perMinute: 10 }),
      ) as [CallLimit, CallLimit];
      const accepted = ({ count }: CallLimit, tries: number, key = "ann") =>
        Array.from({ length: tries }, () => count(key)).filter((refusal) => refusal === undefined).length;
      assert.equal(accepted(one, 6), 6);
      assert.equal(accepted(two, 6), 6, "before they settle, neither knows of the other");
      await one.settle();
      await two.settle();
      assert.deepEqual([accepted(one, 1), accepted(two, 1)], [1, 0], "the last to settle knows of all");
      await one.settle();
      assert.deepEqual([accepted(one, 5), accepted(two, 5)], [0, 0]);
      assert.equal(accepted(one, 3, "ben"), 3, "others are not meant");
      bed.clock.advance(minutes(1) + seconds(30));
      assert.equal(accepted(one, 20), 4, "half of the minute before still counts");
      bed.clock.advance(minutes(2));
      assert.equal(accepted(one, 20), 10);
    } finally {
      await second.close();
    }
  });

  test("[A26] [X7] a flood leaves one row, which the purge takes when its window is over", async () => {
    const key = "registration 198.51.100.1";
    await tally(Array.from({ length: 300 }, () => countHit(bed.deps, "registration", "198.51.100.1")));
    const mine = async () => (await rows()).filter((row) => row.key === key);
    assert.deepEqual(
      (await mine()).map(({ hits }) => hits),
      [20],
      "what is refused is not even written",
    );
    const purge = createPurge(bed.deps);
    const options = { pause: async () => {}, isOver: () => false };
    await purge(options);
    assert.equal((await mine()).length, 1, "still counting");
    bed.clock.advance(hours(1));
    await purge(options);
    assert.equal((await mine()).length, 0);
  });

  test("every limit holds to its number, and says when to come back", async () => {
    for (const [name, { hits, window }] of Object.entries(rateLimits)) {
      const work = Array.from({ length: hits + 5 }, () => countHit(bed.deps, name as RateLimit, "203.0.113.9"));
      assert.deepEqual(await tally(work), { ok: hits, rate_limited: 5 }, name);
      const refusal: unknown = await countHit(bed.deps, name as RateLimit, "203.0.113.9").catch(
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

  test("[VAR-RATE_LIMITS] switched off, nothing is counted", async () => {
    const before = await rows();
    const deps = { ...bed.deps, rateLimits: unlimited };
    for (let i = 0; i < 50; i++) await countHit(deps, "registration", "192.0.2.77");
    assert.deepEqual(await rows(), before);
  });

  test("[X5] [A26] one network has one counter, however its addresses are spelled", async () => {
    const none = parseIpAddressSet([])!;
    const from = (remoteAddress: string): IncomingMessage =>
      ({ socket: { remoteAddress }, headers: {} }) as IncomingMessage;
    bed.clock.advance(hours(1));
    const hits = Array.from({ length: 60 }, (_, i) =>
      countHit(bed.deps, "registration", addressKey(from(`2001:db8:1:2:${i.toString(16)}::${i}`), none)),
    );
    assert.deepEqual(await tally(hits), { ok: 20, rate_limited: 40 });
    assert.equal(
      await outcome(countHit(bed.deps, "registration", addressKey(from("2001:DB8:1:2::1"), none))),
      "rate_limited",
    );
    assert.equal(await outcome(countHit(bed.deps, "registration", addressKey(from("2001:db8:1:3::1"), none))), "ok");
  });

  test("[A26] [X5] over HTTP: of thirty registrations at once twenty are taken, and forged headers change nothing", async () => {
    bed.clock.advance(hours(1));
    const service = await startService(bed.deps);
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
      const clients = async () => (await bed.database.q.selectFrom("oauth_clients").select("id").execute()).length;
      assert.equal(await clients(), 20);
      bed.clock.advance(hours(24));
      await createPurge(bed.deps)({ pause: async () => {}, isOver: () => false });
      assert.equal(await clients(), 0, "never used, gone a day later");
    } finally {
      await service.close();
    }
  });

  test("[ERR-rate_limited] [X7] the web API has the tools' limit: 600 calls a minute of one user, then 429 with Retry-After", async () => {
    bed.clock.advance(minutes(2) - (bed.clock() % minutes(1)) + seconds(20));
    const server = await startApiServer(bed.deps);
    try {
      const [ann, ben] = [await newStudio(bed.deps), await newStudio(bed.deps)];
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
      const { token } = await approve(server.deps, ann);
      const tool = await modern({ url: `${server.base}/mcp`, token }, "tools/call", { name: "whoami" });
      assert.equal(tool.json.result.isError, undefined, "so do the user's AI clients");
      bed.clock.advance(minutes(2));
      assert.equal((await call(server, "GET", "/api/me", { cookie })).status, 200);
    } finally {
      await server.close();
    }
  });

  test("a window is over on time also where a second has parts", async () => {
    bed.clock.advance(minutes(1) - (bed.clock() % minutes(1)) + seconds(59) + 999);
    await tally(Array.from({ length: rateLimits.token.hits }, () => countHit(bed.deps, "token", "192.0.2.5")));
    const refusal: unknown = await countHit(bed.deps, "token", "192.0.2.5").catch((error: unknown) => error);
    assert.equal((refusal as AppError).retryAfter, 1, "never 0");
  });
});
