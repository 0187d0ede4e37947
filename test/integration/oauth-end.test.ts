import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { forEachEngine } from "../support/engines.ts";
import {
  callMcp,
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
  type OAuthClient,
  type ConnectOptions,
} from "../support/oauth-client.ts";
import { findFreeBaseUrl, startService, type RunningService } from "../support/service.ts";

const quiet = { env: { RATE_LIMITS: "off" } };

forEachEngine("oauth, how access ends", (fixture) => {
  let service: RunningService;
  let client: OAuthClient;
  let settled: ConnectOptions;
  before(async () => {
    service = await startService(fixture.deps, quiet);
    client = await registerClient(service.base);
    const { browser } = await connectClient(service.base, { client });
    await createStudio(service.base, browser);
    settled = { client, browser };
  });
  after(() => service.close());

  const status = async (token: string, base = service.base) => (await callMcp(base, token)).status;

  test("revoking either token ends the grant at once, and can be repeated (END-2, A10)", async () => {
    for (const which of ["refresh_token", "access_token"] as const) {
      for (const hint of [undefined, "refresh_token", "access_token", "nonsense"]) {
        const { tokens } = await connectClient(service.base, settled);
        assert.equal(await status(tokens.access_token), 200);
        for (let i = 0; i < 2; i++) {
          const { status: answer, text } = await revokeToken(service.base, client, tokens[which], hint);
          assert.equal(answer, 200, text); // RFC 7009 §2.2: also for a token that is not valid any more
        }
        assert.equal(await status(tokens.access_token), 401);
        assert.equal((await refreshTokens(service.base, client, tokens.refresh_token)).body.error, "invalid_grant");
      }
    }
  });

  test("a client revokes its own tokens only (A10)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const stranger = await registerClient(service.base);
    const secret = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_post" });
    for (const other of [stranger, secret]) {
      for (const token of [tokens.refresh_token, tokens.access_token])
        assert.equal((await revokeToken(service.base, other, token)).status, 200, "it learns nothing by it");
    }
    assert.equal((await revokeToken(service.base, { ...client, id: "unknown" }, tokens.refresh_token)).status, 401);
    assert.equal((await revokeToken(service.base, { ...secret, secret: "wrong" }, tokens.refresh_token)).status, 401);
    assert.equal((await revokeToken(service.base, client, "")).body.error, "invalid_request");
    assert.equal((await revokeToken(service.base, client, "never given out")).status, 200);
    assert.equal(await status(tokens.access_token), 200);
    assert.equal((await refreshTokens(service.base, client, tokens.refresh_token)).status, 200);
  });

  test("revoking at the endpoint is seen in the list of AI clients and in the activity (END-2, L5)", async () => {
    const { tokens, browser } = await connectClient(service.base, settled);
    const { activeStudioId: studio } = (await (await browser.send(`${service.base}/api/me`)).json()) as {
      activeStudioId: string;
    };
    await revokeToken(service.base, client, tokens.refresh_token);
    const { clients } = (await (await browser.send(`${service.base}/api/studios/${studio}/clients`)).json()) as {
      clients: { id: string; revokedAt: string | null }[];
    };
    assert.ok(clients[0]?.revokedAt, "the newest approval");
    const rows = (await fixture.deps.activity.list(studio, { limit: 100 })).filter(
      ({ subjectId }) => subjectId === clients[0]?.id,
    );
    assert.deepEqual(
      rows.map(({ action }) => action),
      ["client.revoked", "client.approved"],
    );
  });

  test("signing out of the web app leaves tokens alone (END-1)", async () => {
    const { tokens, browser } = await connectClient(service.base, { client, email: "leaver@example.com" });
    await createStudio(service.base, browser, "East");
    const headers = { origin: new URL(service.base).origin };
    assert.equal((await browser.send(`${service.base}/api/sign-out`, { method: "POST", headers })).status, 204);
    assert.equal((await browser.send(`${service.base}/api/me`)).status, 401);
    assert.equal(await status(tokens.access_token), 200);
    const next = await refreshTokens(service.base, client, tokens.refresh_token);
    assert.equal(next.status, 200);
    assert.equal(await status(next.body.access_token), 200);
  });

  test("someone without a studio may approve, and is then told so in plain text (AUTH-3)", async () => {
    const { tokens, browser } = await connectClient(service.base, { client, email: "new@example.com" });
    const { status: code, headers, text } = await callMcp(service.base, tokens.access_token);
    assert.equal(code, 403);
    assert.match(headers.get("content-type") ?? "", /^text\/plain/);
    assert.equal(text, "No studio membership");
    await createStudio(service.base, browser, "First");
    assert.equal(await status(tokens.access_token), 200);
  });

  test("a restart keeps live tokens, codes and approvals alive, and ended ones dead (END-3, A11, C5)", async () => {
    const base = await findFreeBaseUrl();
    const first = await startService(fixture.deps, { ...quiet, base });
    const mine = await registerClient(base);
    const [live, ended, replayed] = [
      await connectClient(base, { client: mine }),
      await connectClient(base, { client: mine }),
      await obtainCode(base, { client: mine }),
    ];
    const code = await obtainCode(base, { client: mine });
    const browser = createOAuthBrowser(base);
    const { url, state } = createAuthorization(base, mine);
    const page = await openConsent(browser, url, "waiting@example.com");
    await revokeToken(base, mine, ended.tokens.refresh_token);
    const dead = (await exchangeCode(base, replayed)).body;
    await exchangeCode(base, replayed);
    const rotated = (await refreshTokens(base, mine, live.tokens.refresh_token)).body;
    await first.close();

    const second = await startService(fixture.deps, { ...quiet, base });
    try {
      for (const token of [live.tokens.access_token, rotated.access_token])
        assert.equal(await status(token, base), 200);
      for (const token of [ended.tokens.access_token, dead.access_token]) assert.equal(await status(token, base), 401);
      for (const token of [ended.tokens.refresh_token, dead.refresh_token])
        assert.equal((await refreshTokens(base, mine, token)).body.error, "invalid_grant");
      assert.equal((await exchangeCode(base, code)).status, 200);
      assert.equal((await exchangeCode(base, replayed)).body.error, "invalid_grant");
      const told = readCallback(await browser.submit(page, { decision: "approve" }), base);
      assert.equal(told.get("state"), state);
      assert.equal((await refreshTokens(base, mine, rotated.refresh_token)).status, 200);
    } finally {
      await second.close();
    }
  });

  test("tokens of another audience, another instance or another kind are not good here (GRANT-2, A13)", async () => {
    const elsewhere = await startService(fixture.deps, {
      ...quiet,
      secrets: ["another secret, just as long as needed"],
    });
    try {
      const other = await registerClient(elsewhere.base);
      const { tokens } = await connectClient(elsewhere.base, {
        client: other,
        authorizationParams: { scope: "openid studio:read" },
      });
      assert.equal(await status(tokens.access_token, elsewhere.base), 200, "it has a studio of the same database");
      assert.equal(await status(tokens.access_token), 401, "the same database, another resource");
      assert.equal(await status(tokens.id_token ?? ""), 401);
      const mine = await connectClient(service.base, {
        ...settled,
        authorizationParams: { scope: "openid studio:read" },
      });
      for (const token of [mine.tokens.refresh_token, mine.tokens.id_token ?? "", mine.code])
        assert.equal(await status(token), 401);
    } finally {
      await elsewhere.close();
    }
  });

  test("a token counts in the header only (A13)", async () => {
    const { tokens } = await connectClient(service.base, settled);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const tries: [url: string, headers: Record<string, string>][] = [
      [`${service.base}/mcp?access_token=${tokens.access_token}`, headers],
      [`${service.base}/mcp`, { ...headers, cookie: `access_token=${tokens.access_token}` }],
      [`${service.base}/mcp`, { ...headers, authorization: `Basic ${btoa(`x:${tokens.access_token}`)}` }],
      [`${service.base}/mcp`, { ...headers, authorization: tokens.access_token }],
    ];
    for (const [url, sent] of tries)
      assert.equal((await fetch(url, { method: "POST", body, headers: sent })).status, 401);
  });
});
