import assert from "node:assert/strict";
import { test } from "node:test";
import { days, seconds } from "#lib/clock.ts";
import { connectClient, registerClient, refreshTokens, type OAuthResponse } from "../support/oauth-client.ts";
import { forOneEngineWithClient } from "../support/oauth-fixture.ts";

forOneEngineWithClient("oauth refresh", (fixture) => {
  const { service, connectOptions, getMcpStatus, refresh } = fixture;
  const isTokenAccepted = async (token: string) => (await getMcpStatus(token)) === 200;
  const assertInvalidGrant = ({ status, body, text }: OAuthResponse, message = "") => {
    assert.equal(status, 400, `${message} ${text}`);
    assert.equal(body.error, "invalid_grant");
  };

  test("a refresh returns new tokens of both kinds; the previous access token stays valid (GRANT-3)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const { status, body, headers } = await refresh(tokens.refresh_token);
    assert.equal(status, 200);
    assert.match(headers.get("cache-control") ?? "", /no-store/);
    assert.notEqual(body.refresh_token, tokens.refresh_token);
    assert.notEqual(body.access_token, tokens.access_token);
    assert.equal(body.expires_in, 3600);
    assert.ok((await isTokenAccepted(tokens.access_token)) && (await isTokenAccepted(body.access_token)));
  });

  test("fifty concurrent refreshes with one token all succeed with valid tokens (GRANT-4, A8)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const responses = await Promise.all(Array.from({ length: 50 }, () => refresh(tokens.refresh_token)));
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200]);
    for (const { body } of responses) assert.ok(await isTokenAccepted(body.access_token));
    // The client can continue with any of the new refresh tokens; they all have the same generation.
    const [firstBody, lastBody] = [responses[0]?.body, responses[49]?.body];
    const nextResponse = await refresh(firstBody.refresh_token);
    assert.equal(nextResponse.status, 200);
    assert.equal((await refresh(lastBody.refresh_token)).status, 200, "the previous generation, within 30 s");
    assert.ok(await isTokenAccepted(nextResponse.body.access_token));
  });

  test("the previous refresh token is valid for thirty seconds; using it later revokes the grant (GRANT-4)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const lostResponse = await refresh(tokens.refresh_token);
    assert.equal(lostResponse.status, 200);
    fixture.clock.advance(seconds(30) - 1);
    const repeatedResponse = await refresh(tokens.refresh_token);
    assert.equal(repeatedResponse.status, 200);
    fixture.clock.advance(1);
    assertInvalidGrant(await refresh(tokens.refresh_token));
    assertInvalidGrant(await refresh(repeatedResponse.body.refresh_token), "the grant is revoked");
    assert.equal(await isTokenAccepted(repeatedResponse.body.access_token), false);
  });

  test("using a refresh token that is two generations old revokes the grant, even within thirty seconds (GRANT-4, A8)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const secondResponse = await refresh(tokens.refresh_token);
    const thirdResponse = await refresh(secondResponse.body.refresh_token);
    assert.ok(await isTokenAccepted(thirdResponse.body.access_token));
    assertInvalidGrant(await refresh(tokens.refresh_token));
    assertInvalidGrant(await refresh(thirdResponse.body.refresh_token));
    for (const { access_token: token } of [tokens, secondResponse.body, thirdResponse.body])
      assert.equal(await isTokenAccepted(token), false);
  });

  test("fifty concurrent refreshes, half of them with a token two generations old, revoke the grant without a 5xx response (GRANT-4, A8)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const secondResponse = await refresh(tokens.refresh_token);
    const thirdResponse = await refresh(secondResponse.body.refresh_token);
    const mixedRequests = Array.from({ length: 50 }, (_, i) =>
      refresh(i % 2 ? thirdResponse.body.refresh_token : tokens.refresh_token),
    );
    const responses = await Promise.all(mixedRequests);
    assert.ok(responses.every(({ status, body }) => status === 200 || body.error === "invalid_grant"));
    for (const { status, body } of responses)
      if (status === 200) assert.equal(await isTokenAccepted(body.access_token), false);
    assertInvalidGrant(await refresh(thirdResponse.body.refresh_token));
  });

  test("a refresh can narrow the scope and restore it; requests for a wider scope fail and leave the grant valid (A10)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const narrowedResponse = await refresh(tokens.refresh_token, { scope: "studio:read" });
    assert.equal(narrowedResponse.body.scope, "studio:read");
    const restoredResponse = await refresh(narrowedResponse.body.refresh_token);
    assert.equal(restoredResponse.body.scope, "studio:read studio:write");
    const rejectedRequests: [overrides: Record<string, string>, error: string][] = [
      [{ scope: "studio:read studio:admin" }, "invalid_scope"],
      [{ scope: "openid" }, "invalid_scope"],
      [{ scope: '"' }, "invalid_scope"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
      [{ resource: `${service.base}/api` }, "invalid_target"],
    ];
    for (const [overrides, error] of rejectedRequests) {
      const { status, body } = await refresh(restoredResponse.body.refresh_token, overrides);
      assert.equal(status, 400);
      assert.equal(body.error, error, JSON.stringify(overrides));
    }
    fixture.clock.advance(seconds(31));
    assert.equal(
      (await refresh(restoredResponse.body.refresh_token)).status,
      200,
      "rejected requests did not replace the token",
    );
  });

  test("a view-only grant stays view-only, even if a refresh requests more (A10, SCOPE-2)", async () => {
    const { tokens } = await connectClient(service.base, { ...connectOptions, access: "read" });
    assert.equal(tokens.scope, "studio:read");
    for (const scope of ["studio:write", "studio:read studio:write"])
      assert.equal((await refresh(tokens.refresh_token, { scope })).body.error, "invalid_scope", scope);
    const { body } = await refresh(tokens.refresh_token);
    assert.equal(body.scope, "studio:read");
  });

  test("rejects another client's refresh token, which stays valid for its owner (A6)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const otherClient = await registerClient(service.base);
    assertInvalidGrant(await refreshTokens(service.base, otherClient, tokens.refresh_token));
    assertInvalidGrant(await refresh(tokens.access_token), "an access token is not a refresh token");
    assertInvalidGrant(await refresh("x"));
    assertInvalidGrant(await refresh("x\0"));
    assert.equal((await refresh("")).body.error, "invalid_request");
    assert.equal((await refresh(tokens.refresh_token)).status, 200);
  });

  /** Advances the test clock and Date, which the OAuth library uses. */
  const advanceClocks = (t: { mock: { timers: { tick(ms: number): void } } }, ms: number): void => {
    fixture.clock.advance(ms);
    t.mock.timers.tick(ms);
  };

  test("a refresh token expires after thirty days without use (GRANT-3, A12)", async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: fixture.clock() });
    const { tokens } = await connectClient(service.base, connectOptions);
    advanceClocks(t, days(30) - seconds(5));
    const nextResponse = await refresh(tokens.refresh_token);
    assert.equal(nextResponse.status, 200);
    advanceClocks(t, days(30) + seconds(1));
    assertInvalidGrant(await refresh(nextResponse.body.refresh_token));
  });

  test("a grant ends ninety days after consent, however often it was refreshed (GRANT-3, A12)", async (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: fixture.clock() });
    let { refresh_token: token } = (await connectClient(service.base, connectOptions)).tokens;
    for (let day = 10; day < 90; day += 10) {
      advanceClocks(t, days(10));
      const { status, body } = await refresh(token);
      assert.equal(status, 200, `day ${day}`);
      token = body.refresh_token;
    }
    advanceClocks(t, days(10) - seconds(30));
    const lastResponse = await refresh(token);
    assert.equal(lastResponse.status, 200);
    advanceClocks(t, seconds(31));
    assertInvalidGrant(await refresh(lastResponse.body.refresh_token), "day 90");
  });
});
