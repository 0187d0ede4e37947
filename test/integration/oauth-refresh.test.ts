import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { days, seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  callMcp,
  connectClient,
  createStudio,
  registerClient,
  refreshTokens,
  type OAuthResponse,
  type OAuthClient,
  type ConnectOptions,
} from "../support/oauth-client.ts";
import { startService, type RunningService } from "../support/service.ts";

forEachEngine("oauth refresh", (fixture) => {
  let service: RunningService;
  let client: OAuthClient;
  let settled: ConnectOptions;
  before(async () => {
    service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" } });
    client = await registerClient(service.base);
    const { browser } = await connectClient(service.base, { client });
    await createStudio(service.base, browser);
    settled = { client, browser };
  });
  after(() => service.close());

  const mayCall = async (token: string) => (await callMcp(service.base, token)).status === 200;
  const again = (token: string, changed: Record<string, string | undefined> = {}) =>
    refreshTokens(service.base, client, token, changed);
  const assertOver = ({ status, body, text }: OAuthResponse, why = "") => {
    assert.equal(status, 400, `${why} ${text}`);
    assert.equal(body.error, "invalid_grant");
  };

  test("a refresh gives a new token of each kind; the access token before it runs on (GRANT-3)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const { status, body, headers } = await again(tokens.refresh_token);
    assert.equal(status, 200);
    assert.match(headers.get("cache-control") ?? "", /no-store/);
    assert.notEqual(body.refresh_token, tokens.refresh_token);
    assert.notEqual(body.access_token, tokens.access_token);
    assert.equal(body.expires_in, 3600);
    assert.ok((await mayCall(tokens.access_token)) && (await mayCall(body.access_token)));
  });

  test("fifty refreshes with one token at once: none fails, and every holder is still in (GRANT-4, A8)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const answers = await Promise.all(Array.from({ length: 50 }, () => again(tokens.refresh_token)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    for (const { body } of answers) assert.ok(await mayCall(body.access_token));
    // Whichever of them the client kept, it goes on with it; they are all of one generation.
    const [first, last] = [answers[0]?.body, answers[49]?.body];
    const next = await again(first.refresh_token);
    assert.equal(next.status, 200);
    assert.equal((await again(last.refresh_token)).status, 200, "just before the current one, within 30 s");
    assert.ok(await mayCall(next.body.access_token));
  });

  test("the one just before is good for thirty seconds, then it ends the grant (GRANT-4)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const lost = await again(tokens.refresh_token);
    assert.equal(lost.status, 200);
    fixture.clock.advance(seconds(30) - 1);
    const repeated = await again(tokens.refresh_token);
    assert.equal(repeated.status, 200);
    fixture.clock.advance(1);
    assertOver(await again(tokens.refresh_token));
    assertOver(await again(repeated.body.refresh_token), "the whole grant has ended");
    assert.equal(await mayCall(repeated.body.access_token), false);
  });

  test("the one before the last ends the grant, however soon (GRANT-4, A8)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const second = await again(tokens.refresh_token);
    const third = await again(second.body.refresh_token);
    assert.ok(await mayCall(third.body.access_token));
    assertOver(await again(tokens.refresh_token));
    assertOver(await again(third.body.refresh_token));
    for (const { access_token: token } of [tokens, second.body, third.body]) assert.equal(await mayCall(token), false);
  });

  test("fifty at once, of which the old half is two generations behind: the grant ends, nobody gets a 5xx (GRANT-4, A8)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const second = await again(tokens.refresh_token);
    const third = await again(second.body.refresh_token);
    const mixed = Array.from({ length: 50 }, (_, i) => again(i % 2 ? third.body.refresh_token : tokens.refresh_token));
    const answers = await Promise.all(mixed);
    assert.ok(answers.every(({ status, body }) => status === 200 || body.error === "invalid_grant"));
    for (const { status, body } of answers) if (status === 200) assert.equal(await mayCall(body.access_token), false);
    assertOver(await again(third.body.refresh_token));
  });

  test("less may be asked for, and all of it again; never more than was granted, and asking does not harm (A10)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const less = await again(tokens.refresh_token, { scope: "studio:read" });
    assert.equal(less.body.scope, "studio:read");
    const all = await again(less.body.refresh_token);
    assert.equal(all.body.scope, "studio:read studio:write");
    const wider: [changed: Record<string, string>, error: string][] = [
      [{ scope: "studio:read studio:admin" }, "invalid_scope"],
      [{ scope: "openid" }, "invalid_scope"],
      [{ scope: '"' }, "invalid_scope"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
      [{ resource: `${service.base}/api` }, "invalid_target"],
    ];
    for (const [changed, error] of wider) {
      const { status, body } = await again(all.body.refresh_token, changed);
      assert.equal(status, 400);
      assert.equal(body.error, error, JSON.stringify(changed));
    }
    fixture.clock.advance(seconds(31));
    assert.equal((await again(all.body.refresh_token)).status, 200, "it is still the current one");
  });

  test("view only stays view only, whatever a refresh asks for (A10, SCOPE-2)", async () => {
    const { tokens } = await connectClient(service.base, { ...settled, access: "read" });
    assert.equal(tokens.scope, "studio:read");
    for (const scope of ["studio:write", "studio:read studio:write"])
      assert.equal((await again(tokens.refresh_token, { scope })).body.error, "invalid_scope", scope);
    const { body } = await again(tokens.refresh_token);
    assert.equal(body.scope, "studio:read");
  });

  test("another client's refresh token is nobody's, and stays good for its owner (A6)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const stranger = await registerClient(service.base);
    assertOver(await refreshTokens(service.base, stranger, tokens.refresh_token));
    assertOver(await again(tokens.access_token), "an access token is no refresh token");
    assertOver(await again("x"));
    assertOver(await again("x\0"));
    assert.equal((await again("")).body.error, "invalid_request");
    assert.equal((await again(tokens.refresh_token)).status, 200);
  });

  /** Both clocks: ours, and the one the library has. */
  const later = (t: { mock: { timers: { setTime(ms: number): void } } }, ms: number): void => {
    fixture.clock.advance(ms);
    t.mock.timers.setTime(Date.now() + ms);
  };

  test("thirty days unused end it (GRANT-3, A12)", async (t) => {
    const { tokens } = await connectClient(service.base, settled);
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    later(t, days(30) - seconds(5));
    const next = await again(tokens.refresh_token);
    assert.equal(next.status, 200);
    later(t, days(30) + seconds(1));
    assertOver(await again(next.body.refresh_token));
  });

  test("ninety days after the approval it ends, however often it was used (GRANT-3, A12)", async (t) => {
    let { refresh_token: token } = (await connectClient(service.base, settled)).tokens;
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    for (let day = 10; day < 90; day += 10) {
      later(t, days(10));
      const { status, body } = await again(token);
      assert.equal(status, 200, `day ${day}`);
      token = body.refresh_token;
    }
    later(t, days(10) - seconds(30));
    const last = await again(token);
    assert.equal(last.status, 200);
    later(t, seconds(31));
    assertOver(await again(last.body.refresh_token), "day 90");
  });
});
