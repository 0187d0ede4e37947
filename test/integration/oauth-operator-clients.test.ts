import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readOperatorClients } from "#auth/operator-clients.ts";
import { forOneEngine } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import {
  connectClient,
  exchangeCode,
  obtainCode,
  endpointPaths,
  post,
  refreshTokens,
  webRedirect,
} from "../support/oauth-client.ts";
import { withoutRateLimits } from "../support/oauth-fixture.ts";
import { startService } from "../support/service.ts";

const secret = "a secret of the operator's own choosing: with a colon & more";

function writeClientsFile(content: unknown): string {
  const path = join(createTempFolder().path, "clients.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

forOneEngine("the operator's OAuth clients", (fixture) => {
  test("clients with and without a secret obtain tokens, and are not stored in the database (REG-3, VAR-OAUTH_CLIENTS)", async (t) => {
    const clients = readOperatorClients(
      writeClientsFile([
        { client_id: "desk", client_name: "Desk", redirect_uris: [webRedirect] },
        { client_id: "back office", client_name: "Office", client_secret: secret, redirect_uris: [webRedirect] },
      ]),
    );
    const service = await startService(fixture.deps, { ...withoutRateLimits, clients });
    t.after(() => service.close());
    const { base } = service;
    const { client: desk, tokens } = await connectClient(base, { client: { id: "desk", redirectUri: webRedirect } });
    assert.equal((await refreshTokens(base, desk, tokens.refresh_token)).status, 200);

    const client = { id: "back office", redirectUri: webRedirect };
    const obtainedCode = await obtainCode(base, { client });
    assert.equal((await exchangeCode(base, obtainedCode)).status, 401, "without the secret");
    assert.equal((await exchangeCode(base, obtainedCode, { client_secret: `${secret}.` })).status, 401);
    // RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
    const encodeFormValue = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
    const form = {
      grant_type: "authorization_code",
      code: obtainedCode.code,
      redirect_uri: webRedirect,
      code_verifier: obtainedCode.verifier,
    };
    const tokenResponse = await post(`${base}${endpointPaths.token}`, new URLSearchParams(form), {
      authorization: `Basic ${btoa(`${encodeFormValue(client.id)}:${encodeFormValue(secret)}`)}`,
    });
    assert.equal(tokenResponse.status, 200, tokenResponse.text);
    assert.equal((await refreshTokens(base, { ...client, secret }, tokenResponse.body.refresh_token)).status, 200);
    assert.deepEqual(await fixture.database.q.selectFrom("oauthClients").select("id").execute(), []);
  });

  test("an invalid file prevents startup with an error that names the problem and its location (REG-3)", async () => {
    const validClient = { client_id: "x", redirect_uris: [webRedirect] };
    const invalidFiles: [content: unknown, message: RegExp][] = [
      ["{", /not valid JSON/],
      [{}, /expected a list/],
      [[{ client_id: "x" }], /0\.redirect_uris/],
      [[{ client_id: "", redirect_uris: [webRedirect] }], /0\.client_id/],
      [[{ ...validClient, client_secret: "short" }], /at least 32 characters/],
      [[{ client_id: "x", redirect_uris: ["http://client.example/"] }], /x: http redirect/],
      [[{ client_id: "x", redirect_uris: ["javascript:alert(1)"] }], /x: .*javascript/],
      [[validClient, validClient], /each client_id to be unique/],
      [[{ ...validClient, token_endpoint_auth_method: "private_key_jwt" }], /0\.token_endpoint_auth_method/],
      [[{ ...validClient, token_endpoint_auth_method: "client_secret_basic" }], /to match/],
      [[{ ...validClient, client_secret: secret, token_endpoint_auth_method: "none" }], /to match/],
    ];
    for (const [content, message] of invalidFiles)
      assert.throws(
        () => readOperatorClients(writeClientsFile(content)),
        (error: Error) => message.test(error.message) && error.message.startsWith("OAUTH_CLIENTS: "),
        JSON.stringify(content),
      );
    assert.throws(() => readOperatorClients("/nowhere/clients.json"), /OAUTH_CLIENTS: .*ENOENT/);
    assert.deepEqual(readOperatorClients(undefined), []);
  });
});
