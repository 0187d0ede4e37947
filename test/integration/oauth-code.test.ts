import assert from "node:assert/strict";
import { test } from "node:test";
import { seconds } from "#lib/clock.ts";
import {
  listTools,
  connectClient,
  exchangeCode,
  registerClient,
  obtainCode,
  endpointPaths,
  post,
  type ObtainedCode,
} from "../support/oauth-client.ts";
import { forOneEngineWithClient } from "../support/oauth-fixture.ts";

forOneEngineWithClient("oauth codes", (fixture) => {
  const { service, client, connectOptions, getMcpStatus, refresh } = fixture;
  const isTokenAccepted = async (token: string) => (await getMcpStatus(token)) === 200;

  test("exchanges a code for an opaque access token that lasts an hour and a refresh token (GRANT-2)", async () => {
    const { status, headers, body } = await exchangeCode(service.base, await obtainCode(service.base, connectOptions));
    assert.equal(status, 200);
    assert.match(headers.get("cache-control") ?? "", /no-store/); // RFC 6749 §5.1
    assert.match(body.access_token, /^[\w-]{43,}$/);
    assert.match(body.refresh_token, /^[\w-]{43,}$/);
    assert.equal(body.expires_in, 3600);
    assert.ok(await isTokenAccepted(body.access_token));
    fixture.clock.advance(seconds(3599));
    assert.ok(await isTokenAccepted(body.access_token));
    fixture.clock.advance(seconds(1));
    const expiredResponse = await listTools(service.base, body.access_token);
    assert.equal(expiredResponse.status, 401);
    assert.match(expiredResponse.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
  });

  test("of fifty concurrent exchanges of one code, one gets tokens, and the replays revoke them (GRANT-5, A5)", async () => {
    const otherConnection = await connectClient(service.base, connectOptions);
    const obtainedCode = await obtainCode(service.base, connectOptions);
    const responses = await Promise.all(Array.from({ length: 50 }, () => exchangeCode(service.base, obtainedCode)));
    const [success, ...others] = responses.toSorted((a, b) => a.status - b.status);
    assert.equal(success?.status, 200);
    assert.ok(others.every(({ status, body }) => status === 400 && body.error === "invalid_grant"));
    assert.equal(await isTokenAccepted(success.body.access_token), false);
    assert.equal((await refresh(success.body.refresh_token)).body.error, "invalid_grant");
    assert.ok(
      await isTokenAccepted(otherConnection.tokens.access_token),
      "another grant of the same client stays valid",
    );
  });

  test("a wrong client, redirect URI, verifier or resource does not consume the code (A6, A4)", async () => {
    const obtainedCode = await obtainCode(service.base, connectOptions);
    const otherClient = await registerClient(service.base);
    const confidentialClient = await registerClient(service.base, {
      token_endpoint_auth_method: "client_secret_basic",
    });
    const invalidRequests: [overrides: Record<string, string | undefined>, error: string][] = [
      [{ client_id: otherClient.id }, "invalid_grant"],
      [{ client_id: confidentialClient.id, client_secret: confidentialClient.secret }, "invalid_grant"],
      [{ client_id: confidentialClient.id }, "invalid_client"],
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
      [{ code_verifier: `${obtainedCode.verifier}=` }, "invalid_request"],
      [{ resource: "https://other.example/mcp" }, "invalid_target"],
      [{ resource: `${service.base}/mcp?x` }, "invalid_target"],
      [{ resource: "nonsense" }, "invalid_target"],
      [{ code: `${obtainedCode.code}x` }, "invalid_grant"],
      [{ code: "" }, "invalid_request"],
      [{ grant_type: "refresh_token", refresh_token: obtainedCode.code }, "invalid_grant"],
    ];
    for (const [overrides, error] of invalidRequests) {
      const { status, body, text } = await exchangeCode(service.base, obtainedCode, overrides);
      assert.equal(body.error, error, `${JSON.stringify(overrides)} ${text}`);
      assert.equal(status, error === "invalid_client" ? 401 : 400);
    }
    const twoResourcesForm = new URLSearchParams(buildForm(obtainedCode));
    for (const resource of [`${service.base}/mcp`, "https://other.example/mcp"])
      twoResourcesForm.append("resource", resource);
    assert.equal((await post(`${service.base}${endpointPaths.token}`, twoResourcesForm)).body.error, "invalid_target");
    const success = await exchangeCode(service.base, obtainedCode, { resource: `${service.base}/mcp` });
    assert.equal(success.status, 200, success.text);
    assert.ok(await isTokenAccepted(success.body.access_token));
  });

  test("accepts the resource with and without /mcp, a trailing slash or uppercase letters, at every step (GRANT-2, A13)", async () => {
    const { base } = service;
    for (const resource of [undefined, `${base}/mcp`, `${base}/mcp/`, base, `${base}/`, `${base.toUpperCase()}/mcp`]) {
      for (const requestedResource of [resource, `${base}/mcp`]) {
        const authorizationParams = { resource: requestedResource };
        const obtainedCode = await obtainCode(base, { ...connectOptions, authorizationParams });
        const { body, text } = await exchangeCode(base, obtainedCode, { resource });
        assert.ok(await isTokenAccepted(body.access_token), `${requestedResource} ${resource} ${text}`);
        const refreshResponse = await refresh(body.refresh_token, { resource });
        assert.ok(await isTokenAccepted(refreshResponse.body.access_token), `${requestedResource} ${resource}`);
      }
    }
  });

  test("a code expires after sixty seconds (GRANT-1, A7)", async (t) => {
    // The OAuth library uses Date. The time stands still while the codes are obtained, so that both have the same age.
    t.mock.timers.enable({ apis: ["Date"], now: fixture.clock() });
    const [earlyCode, lateCode] = [
      await obtainCode(service.base, connectOptions),
      await obtainCode(service.base, connectOptions),
    ];
    t.mock.timers.tick(seconds(59));
    assert.equal((await exchangeCode(service.base, earlyCode)).status, 200);
    t.mock.timers.tick(seconds(1));
    const { status, body } = await exchangeCode(service.base, lateCode);
    assert.equal(status, 400);
    assert.equal(body.error, "invalid_grant");
  });

  const buildForm = (obtainedCode: ObtainedCode) => ({
    grant_type: "authorization_code",
    client_id: obtainedCode.client.id,
    code: obtainedCode.code,
    redirect_uri: obtainedCode.client.redirectUri,
    code_verifier: obtainedCode.verifier,
  });

  test("rejects repeated parameters and parameters in the query, which do not consume the code (A21)", async () => {
    const obtainedCode = await obtainCode(service.base, connectOptions);
    const params = buildForm(obtainedCode);
    const url = `${service.base}${endpointPaths.token}`;
    for (const [name, value] of Object.entries(params)) {
      const body = new URLSearchParams(params);
      body.append(name, value);
      const response = await post(url, body);
      assert.deepEqual([response.status, response.body.error], [400, "invalid_request"], `${name} ${response.text}`);
    }
    const query = new URLSearchParams(params).toString();
    assert.equal((await post(`${url}?${query}`, new URLSearchParams())).body.error, "invalid_request");
    assert.equal((await fetch(`${url}?${query}`)).status, 405);
    assert.equal((await exchangeCode(service.base, obtainedCode)).status, 200);
  });

  test("rejects credentials in two places and wrong ones, which do not consume the code (A21)", async () => {
    const confidential = await registerClient(service.base, { token_endpoint_auth_method: "client_secret_basic" });
    const form = buildForm(await obtainCode(service.base, { ...connectOptions, client: confidential }));
    const credentials = `${confidential.id}:${confidential.secret}`;
    const postForm = (authorization: string, fields: Record<string, string> = {}) =>
      post(`${service.base}${endpointPaths.token}`, new URLSearchParams({ ...form, ...fields }), { authorization });
    for (const fields of [{ client_secret: confidential.secret! }, { client_id: client.id }] as Record<
      string,
      string
    >[]) {
      const { body, text } = await postForm(`Basic ${btoa(credentials)}`, fields);
      assert.equal(body.error, "invalid_request", text);
    }
    for (const header of [
      "Basic",
      "Basic !",
      ...["x", "%:%", `${confidential.id}:`].map((text) => `Basic ${btoa(text)}`),
    ]) {
      const response = await postForm(header);
      assert.ok([400, 401].includes(response.status), `${header} ${response.text}`);
    }
    const wrongSecretResponse = await postForm(`Basic ${btoa(`${confidential.id}:wrong`)}`);
    assert.deepEqual([wrongSecretResponse.status, wrongSecretResponse.body.error], [401, "invalid_client"]);
    assert.match(wrongSecretResponse.headers.get("www-authenticate") ?? "", /^Basic /); // RFC 6749 §5.2
    const success = await postForm(`Basic ${btoa(credentials)}`);
    assert.equal(success.status, 200, success.text);
  });

  test("rejects bodies that are not form-encoded (GRANT-2)", async () => {
    const bodies: [body: string, type: string][] = [
      ["{}", "application/json"],
      ["x".repeat(200_000), "application/x-www-form-urlencoded"],
      ["grant_type=authorization_code", "text/plain"],
      ["%", "application/x-www-form-urlencoded; charset=nonsense"],
      ["", "application/x-www-form-urlencoded"],
    ];
    for (const path of [endpointPaths.token, endpointPaths.revoke]) {
      for (const [body, type] of bodies) {
        const response = await post(`${service.base}${path}`, body, { "content-type": type });
        assert.equal(response.status, 400, `${path} ${type} ${response.text}`);
        assert.equal(response.body.error, "invalid_request", response.text);
      }
    }
  });
});
