import assert from "node:assert/strict";
import { test } from "node:test";
import { startService, findFreeBaseUrl } from "../support/service.ts";
import {
  connectClient,
  createStudio,
  exchangeCode,
  registerClient,
  obtainCode,
  openConsent,
  createAuthorization,
  readCallback,
  refreshTokens,
  revokeToken,
  createOAuthBrowser,
} from "../support/oauth-client.ts";
import { forOneEngineWithClient, withoutRateLimits } from "../support/oauth-fixture.ts";

forOneEngineWithClient("oauth revocation and token validity", (fixture) => {
  const { service, client, connectOptions, getMcpStatus, refresh } = fixture;

  test("revoking either token ends the grant immediately, and can be repeated (END-2, A10)", async () => {
    for (const kind of ["refresh_token", "access_token"] as const) {
      for (const hint of [undefined, "refresh_token", "access_token", "nonsense"]) {
        const { tokens } = await connectClient(service.base, connectOptions);
        assert.equal(await getMcpStatus(tokens.access_token), 200);
        for (let i = 0; i < 2; i++) {
          const response = await revokeToken(service.base, client, tokens[kind], hint);
          assert.equal(response.status, 200, response.text); // RFC 7009 §2.2: also for an invalid token
        }
        assert.equal(await getMcpStatus(tokens.access_token), 401);
        assert.equal((await refresh(tokens.refresh_token)).body.error, "invalid_grant");
      }
    }
  });

  test("a client can only revoke its own tokens (A10)", async () => {
    const { tokens } = await connectClient(service.base, connectOptions);
    const otherClient = await registerClient(service.base);
    const confidentialClient = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_post" });
    for (const other of [otherClient, confidentialClient]) {
      for (const token of [tokens.refresh_token, tokens.access_token])
        assert.equal((await revokeToken(service.base, other, token)).status, 200, "the response reveals nothing");
    }
    assert.equal((await revokeToken(service.base, { ...client, id: "unknown" }, tokens.refresh_token)).status, 401);
    assert.equal(
      (await revokeToken(service.base, { ...confidentialClient, secret: "wrong" }, tokens.refresh_token)).status,
      401,
    );
    assert.equal((await revokeToken(service.base, client, "")).body.error, "invalid_request");
    assert.equal((await revokeToken(service.base, client, "never issued")).status, 200);
    assert.equal(await getMcpStatus(tokens.access_token), 200);
    assert.equal((await refresh(tokens.refresh_token)).status, 200);
  });

  test("a revocation appears in the list of AI clients and in the activity (END-2, L5)", async () => {
    const { tokens, browser } = await connectClient(service.base, connectOptions);
    const { activeStudioId: studio } = (await (await browser.send(`${service.base}/api/me`)).json()) as {
      activeStudioId: string;
    };
    await revokeToken(service.base, client, tokens.refresh_token);
    const { clients } = (await (await browser.send(`${service.base}/api/studios/${studio}/clients`)).json()) as {
      clients: { id: string; revokedAt: string | null }[];
    };
    assert.ok(clients[0]?.revokedAt, "the newest grant");
    const rows = (await fixture.deps.activity.list(studio, { limit: 100 })).filter(
      ({ subjectId }) => subjectId === clients[0]?.id,
    );
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["client.revoked", "client.approved"],
    );
  });

  test("signing out of the web app does not revoke tokens (END-1)", async () => {
    const { tokens, browser } = await connectClient(service.base, { client, email: "signing-out@example.com" });
    await createStudio(service.base, browser, "East");
    const headers = { origin: new URL(service.base).origin };
    assert.equal((await browser.send(`${service.base}/api/sign-out`, { method: "POST", headers })).status, 204);
    assert.equal((await browser.send(`${service.base}/api/me`)).status, 401);
    assert.equal(await getMcpStatus(tokens.access_token), 200);
    const refreshResponse = await refresh(tokens.refresh_token);
    assert.equal(refreshResponse.status, 200);
    assert.equal(await getMcpStatus(refreshResponse.body.access_token), 200);
  });

  test("a restart keeps valid tokens, codes and pending consents valid, and revoked ones revoked (END-3, A11, C5)", async (t) => {
    const base = await findFreeBaseUrl();
    const firstService = await startService(fixture.deps, { ...withoutRateLimits, base });
    const restartClient = await registerClient(base);
    const [validConnection, revokedConnection, replayedCode] = [
      await connectClient(base, { client: restartClient }),
      await connectClient(base, { client: restartClient }),
      await obtainCode(base, { client: restartClient }),
    ];
    const code = await obtainCode(base, { client: restartClient });
    const browser = createOAuthBrowser(base);
    const { url, state } = createAuthorization(base, restartClient);
    const page = await openConsent(browser, url, "waiting@example.com");
    await revokeToken(base, restartClient, revokedConnection.tokens.refresh_token);
    const replayedTokens = (await exchangeCode(base, replayedCode)).body;
    await exchangeCode(base, replayedCode);
    const rotatedTokens = (await refreshTokens(base, restartClient, validConnection.tokens.refresh_token)).body;
    await firstService.close();

    const secondService = await startService(fixture.deps, { ...withoutRateLimits, base });
    t.after(() => secondService.close());
    for (const token of [validConnection.tokens.access_token, rotatedTokens.access_token])
      assert.equal(await getMcpStatus(token, base), 200);
    for (const token of [revokedConnection.tokens.access_token, replayedTokens.access_token])
      assert.equal(await getMcpStatus(token, base), 401);
    for (const token of [revokedConnection.tokens.refresh_token, replayedTokens.refresh_token])
      assert.equal((await refreshTokens(base, restartClient, token)).body.error, "invalid_grant");
    assert.equal((await exchangeCode(base, code)).status, 200);
    assert.equal((await exchangeCode(base, replayedCode)).body.error, "invalid_grant");
    const callbackParams = readCallback(await browser.submit(page, { decision: "approve" }), base);
    assert.equal(callbackParams.get("state"), state);
    assert.equal((await refreshTokens(base, restartClient, rotatedTokens.refresh_token)).status, 200);
  });

  test("rejects tokens for another audience, from another instance or of another kind (GRANT-2, A13)", async (t) => {
    const otherService = await startService(fixture.deps, {
      ...withoutRateLimits,
      secrets: ["another secret, just as long as needed"],
    });
    t.after(() => otherService.close());
    const otherServiceClient = await registerClient(otherService.base);
    const { tokens } = await connectClient(otherService.base, {
      client: otherServiceClient,
      authorizationParams: { scope: "openid studio:read" },
    });
    assert.equal(
      await getMcpStatus(tokens.access_token, otherService.base),
      200,
      "the user has a studio in the same database",
    );
    assert.equal(await getMcpStatus(tokens.access_token), 401, "the same database, another resource");
    assert.equal(await getMcpStatus(tokens.id_token ?? ""), 401);
    const connection = await connectClient(service.base, {
      ...connectOptions,
      authorizationParams: { scope: "openid studio:read" },
    });
    for (const token of [connection.tokens.refresh_token, connection.tokens.id_token ?? "", connection.code])
      assert.equal(await getMcpStatus(token), 401);
  });
});
