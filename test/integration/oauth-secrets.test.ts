import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "#lib/log.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  createAuthorization,
  listTools,
  exchangeCode,
  registerClient,
  openConsent,
  endpointPaths,
  post,
  readCallback,
  refreshTokens,
  revokeToken,
  createOAuthBrowser,
  webRedirect,
} from "../support/oauth-client.ts";
import { withoutRateLimits } from "../support/oauth-fixture.ts";
import { startService } from "../support/service.ts";
import { readStoredText } from "../support/stored-text.ts";

forOneEngine("oauth secrets", (fixture) => {
  test("stores and logs no token, code, secret or cookie in plain text (STORE-1, RUN-9)", async (t) => {
    const lines: string[] = [];
    const log = createLog("trace", { write: (line: string) => void lines.push(line) });
    const service = await startService(fixture.deps, { ...withoutRateLimits, log });
    t.after(() => service.close());
    const { base } = service;
    const secrets = new Map<string, string>();
    const addSecret = (name: string, value: string | null | undefined): void => {
      assert.ok(value !== null && value !== undefined && value.length >= 20, `${name} is not a secret: ${value}`);
      secrets.set(value, name);
    };
    let checkCount = 0;
    const assertNoLeak = async (when: string): Promise<void> => {
      const storedTexts = await readStoredText(fixture);
      for (const [value, name] of secrets) {
        checkCount++;
        for (const [place, text] of storedTexts)
          assert.ok(!text.includes(value), `${name} is in ${place} of the database ${when}`);
        assert.ok(!lines.join("").includes(value), `${name} is in the log ${when}`);
      }
    };
    const client = await registerClient(base, { token_endpoint_auth_method: "client_secret_post" });
    addSecret("client secret", client.secret);
    await assertNoLeak("after registration");

    const browser = createOAuthBrowser(base);
    const { url, verifier } = createAuthorization(base, client, {
      scope: "openid studio:read offline_access",
      nonce: "n",
    });
    const page = await openConsent(browser, url, "secret@example.com");
    // The cookie that binds a consent to this browser carries its secret in the name.
    for (const { name, value } of browser.cookies.all())
      addSecret(`cookie ${name}`, /^atelier-approval-(.+)$/.exec(name)?.[1] ?? value);
    addSecret("form token", page.forms[0]?.fields["token"]);
    await assertNoLeak("while consent is pending");

    const code = readCallback(await browser.submit(page, { decision: "approve" }), base).get("code") ?? "";
    addSecret("code", code);
    await assertNoLeak("after consent");

    const { body: first } = await exchangeCode(base, { client, code, verifier });
    addSecret("verifier", verifier);
    for (const kind of ["access_token", "refresh_token", "id_token"]) addSecret(kind, first[kind]);
    await assertNoLeak("after exchange");

    const { body: second } = await refreshTokens(base, client, first.refresh_token);
    for (const kind of ["access_token", "refresh_token"]) addSecret(`second ${kind}`, second[kind]);
    await listTools(base, second.access_token);
    await assertNoLeak("after refresh and use");

    // Rejected requests are logged too.
    await exchangeCode(base, { client, code, verifier }, { redirect_uri: "https://evil.example/" });
    await fetch(`${base}${endpointPaths.token}?code=${code}&client_secret=${client.secret}`);
    await fetch(`${base}/mcp?access_token=${second.access_token}`, { method: "POST" });
    await post(`${base}${endpointPaths.token}`, `{"refresh_token":"${second.refresh_token}"}`, {
      "content-type": "application/json",
    });
    await browser.send(`${base}/consent/${page.url.pathname.split("/")[2]}?token=${page.forms[0]?.fields["token"]}`);
    await createOAuthBrowser(base).send(
      createAuthorization(base, { id: second.access_token, redirectUri: webRedirect }).url,
    );
    await listTools(base, `${second.access_token}x`);
    await revokeToken(base, client, second.refresh_token);
    await exchangeCode(base, { client, code, verifier });
    await assertNoLeak("after errors and revocation");
    assert.ok(checkCount > 50 && lines.length > 20, `${checkCount} ${lines.length}`);
  });
});
