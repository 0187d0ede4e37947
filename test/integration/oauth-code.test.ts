import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import {
  callMcp,
  connectClient,
  createStudio,
  exchangeCode,
  registerClient,
  obtainCode,
  endpointPaths,
  post,
  refreshTokens,
  type OAuthClient,
  type ConnectOptions,
} from "../support/oauth-client.ts";
import { startService, type RunningService } from "../support/service.ts";

forEachEngine("oauth codes", (fixture) => {
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

  test("a code becomes an opaque token for an hour and a refresh token (GRANT-2)", async () => {
    const { status, headers, body } = await exchangeCode(service.base, await obtainCode(service.base, settled));
    assert.equal(status, 200);
    assert.match(headers.get("cache-control") ?? "", /no-store/); // RFC 6749 §5.1
    assert.match(body.access_token, /^[\w-]{43,}$/);
    assert.match(body.refresh_token, /^[\w-]{43,}$/);
    assert.equal(body.expires_in, 3600);
    assert.ok(await mayCall(body.access_token));
    fixture.clock.advance(seconds(3599));
    assert.ok(await mayCall(body.access_token));
    fixture.clock.advance(seconds(1));
    const late = await callMcp(service.base, body.access_token);
    assert.equal(late.status, 401);
    assert.match(late.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  });

  test("fifty exchanges of one code at once: one gets tokens, and the replay ends them (GRANT-5, A5)", async () => {
    const other = await connectClient(service.base, settled);
    for (let round = 0; round < 3; round++) {
      const obtained = await obtainCode(service.base, settled);
      const answers = await Promise.all(Array.from({ length: 50 }, () => exchangeCode(service.base, obtained)));
      const won = answers.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      assert.ok(
        answers.every(({ status, body }) => status === 200 || (status === 400 && body.error === "invalid_grant")),
      );
      assert.equal(await mayCall(won[0]?.body.access_token), false);
      assert.equal((await refreshTokens(service.base, client, won[0]?.body.refresh_token)).body.error, "invalid_grant");
    }
    assert.ok(await mayCall(other.tokens.access_token), "another approval of the same client lives on");
  });

  test("a code used again later ends the grant too (GRANT-5)", async () => {
    const obtained = await obtainCode(service.base, settled);
    const first = await exchangeCode(service.base, obtained);
    assert.ok(await mayCall(first.body.access_token));
    assert.equal((await exchangeCode(service.base, obtained)).body.error, "invalid_grant");
    assert.equal(await mayCall(first.body.access_token), false);
    assert.equal((await refreshTokens(service.base, client, first.body.refresh_token)).body.error, "invalid_grant");
  });

  test("a wrong client, redirect address, verifier or resource does not burn the code (A6, A4)", async () => {
    const obtained = await obtainCode(service.base, settled);
    const stranger = await registerClient(service.base);
    const secret = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_basic" });
    const wrong: [changed: Record<string, string | undefined>, error: string][] = [
      [{ client_id: stranger.id }, "invalid_grant"],
      [{ client_id: secret.id, client_secret: secret.secret }, "invalid_grant"],
      [{ client_id: secret.id }, "invalid_client"],
      [{ client_id: "unknown" }, "invalid_client"],
      [{ client_id: "x\0y" }, "invalid_client"],
      [{ client_id: undefined }, "invalid_request"],
      [{ redirect_uri: "https://client.example/callback/" }, "invalid_grant"],
      [{ redirect_uri: undefined, code: undefined }, "invalid_request"],
      [{ code_verifier: undefined }, "invalid_grant"],
      [{ code_verifier: "" }, "invalid_grant"],
      [{ code_verifier: "a".repeat(43) }, "invalid_grant"],
      [{ code_verifier: "a".repeat(42) }, "invalid_request"],
      [{ code_verifier: "a".repeat(129) }, "invalid_request"],
      [{ code_verifier: `${obtained.verifier}=` }, "invalid_request"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
      [{ resource: `${service.base}/mcp?x` }, "invalid_target"],
      [{ resource: "nonsense" }, "invalid_target"],
      [{ code: `${obtained.code}x` }, "invalid_grant"],
      [{ code: "" }, "invalid_request"],
      [{ grant_type: "refresh_token", refresh_token: obtained.code }, "invalid_grant"],
    ];
    for (const [changed, error] of wrong) {
      const { status, body, text } = await exchangeCode(service.base, obtained, changed);
      assert.equal(body.error, error, `${JSON.stringify(changed)} ${text}`);
      assert.equal(status, error === "invalid_client" ? 401 : 400);
    }
    const two = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: client.id,
      code: obtained.code,
      redirect_uri: client.redirectUri,
      code_verifier: obtained.verifier,
    });
    for (const resource of [`${service.base}/mcp`, "https://other.example/mcp"]) two.append("resource", resource);
    assert.equal((await post(`${service.base}${endpointPaths.token}`, two)).body.error, "invalid_target");
    const good = await exchangeCode(service.base, obtained, { resource: `${service.base}/mcp` });
    assert.equal(good.status, 200, good.text);
    assert.ok(await mayCall(good.body.access_token));
  });

  test("the resource may be spelled four ways, its host in any case, at either step (GRANT-2, A13)", async () => {
    const { base } = service;
    const shouted = `${base.toUpperCase()}/mcp`;
    for (const asked of [undefined, `${base}/mcp`, `${base}/mcp/`, base, `${base}/`, shouted]) {
      for (const resource of [undefined, `${base}/mcp`, `${base}/`, shouted]) {
        const obtained = await obtainCode(base, { ...settled, authorizationParams: { resource: asked } });
        const { status, body, text } = await exchangeCode(base, obtained, { resource });
        assert.equal(status, 200, text);
        assert.ok(await mayCall(body.access_token), `${asked} ${resource}`);
        const again = await refreshTokens(base, client, body.refresh_token, { resource });
        assert.ok(await mayCall(again.body.access_token), `${asked} ${resource}`);
      }
    }
  });

  test("a code lives sixty seconds (GRANT-1, A7)", async (t) => {
    const [early, late] = [await obtainCode(service.base, settled), await obtainCode(service.base, settled)];
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() }); // the library has no other clock
    t.mock.timers.setTime(Date.now() + seconds(58));
    assert.equal((await exchangeCode(service.base, early)).status, 200);
    t.mock.timers.setTime(Date.now() + seconds(4));
    const { status, body } = await exchangeCode(service.base, late);
    assert.equal(status, 400);
    assert.equal(body.error, "invalid_grant");
  });

  test("what comes twice, in the query, or in two places at once is refused (A21)", async () => {
    const obtained = await obtainCode(service.base, settled);
    const params = {
      grant_type: "authorization_code",
      client_id: client.id,
      code: obtained.code,
      redirect_uri: client.redirectUri,
      code_verifier: obtained.verifier,
    };
    const url = `${service.base}${endpointPaths.token}`;
    for (const [name, value] of Object.entries(params)) {
      const body = new URLSearchParams(params);
      body.append(name, value);
      const answer = await post(url, body);
      assert.equal(answer.status, 400, name);
      assert.equal(answer.body.error, "invalid_request", `${name} ${answer.text}`);
    }
    const query = new URLSearchParams(params).toString();
    const inQuery = await post(`${url}?${query}`, new URLSearchParams());
    assert.equal(inQuery.body.error, "invalid_request");
    assert.equal((await fetch(`${url}?${query}`)).status, 405);

    const secret = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_basic" });
    const mine = await obtainCode(service.base, { ...settled, client: secret });
    const basic = `Basic ${btoa(`${secret.id}:${secret.secret}`)}`;
    const form = { ...params, code: mine.code, code_verifier: mine.verifier };
    const both = await post(
      url,
      new URLSearchParams({ ...form, client_id: secret.id, client_secret: secret.secret! }),
      {
        authorization: basic,
      },
    );
    assert.equal(both.body.error, "invalid_request", both.text);
    const others = await post(url, new URLSearchParams(form), { authorization: basic });
    assert.equal(others.body.error, "invalid_request", others.text);
    for (const header of [
      "Basic",
      "Basic !",
      `Basic ${btoa("x")}`,
      `Basic ${btoa("%:%")}`,
      `Basic ${btoa(`${secret.id}:`)}`,
    ]) {
      const answer = await post(url, new URLSearchParams({ ...form, client_id: secret.id }), { authorization: header });
      assert.ok([400, 401].includes(answer.status), `${header} ${answer.text}`);
    }
    const wrong = await post(url, new URLSearchParams({ ...form, client_id: secret.id }), {
      authorization: `Basic ${btoa(`${secret.id}:wrong`)}`,
    });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.body.error, "invalid_client");
    assert.match(wrong.headers.get("www-authenticate") ?? "", /^Basic /); // RFC 6749 §5.2
    const good = await post(url, new URLSearchParams({ ...form, client_id: secret.id }), { authorization: basic });
    assert.equal(good.status, 200, good.text);
    assert.equal((await exchangeCode(service.base, obtained)).status, 200, "none of it burnt the codes");
  });

  test("bodies that are no form are refused (GRANT-2)", async () => {
    const url = `${service.base}${endpointPaths.token}`;
    const bodies: [body: string, type: string][] = [
      ["{}", "application/json"],
      ["x".repeat(200_000), "application/x-www-form-urlencoded"],
      ["grant_type=authorization_code", "text/plain"],
      ["%", "application/x-www-form-urlencoded; charset=nonsense"],
      ["", "application/x-www-form-urlencoded"],
    ];
    for (const path of [endpointPaths.token, endpointPaths.revoke]) {
      for (const [body, type] of bodies) {
        const answer = await post(url.replace(endpointPaths.token, path), body, { "content-type": type });
        assert.equal(answer.status, 400, `${path} ${type} ${answer.text}`);
        assert.equal(answer.body.error, "invalid_request", answer.text);
      }
    }
  });
});
