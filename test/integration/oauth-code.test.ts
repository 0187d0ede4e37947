import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { seconds } from "#lib/clock.ts";
import { forOneEngine } from "../support/engines.ts";
import {
  listTools,
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

forOneEngine("oauth codes", (fixture) => {
  let service: RunningService;
  let client: OAuthClient;
  let connectOptions: ConnectOptions;
  before(async () => {
    service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" } });
    client = await registerClient(service.base);
    const { browser } = await connectClient(service.base, { client });
    await createStudio(service.base, browser);
    connectOptions = { client, browser };
  });
  after(() => service.close());

  const isTokenAccepted = async (token: string) => (await listTools(service.base, token)).status === 200;

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
    for (let round = 0; round < 3; round++) {
      const obtainedCode = await obtainCode(service.base, connectOptions);
      const responses = await Promise.all(Array.from({ length: 50 }, () => exchangeCode(service.base, obtainedCode)));
      const successes = responses.filter(({ status }) => status === 200);
      assert.equal(successes.length, 1);
      assert.ok(
        responses.every(({ status, body }) => status === 200 || (status === 400 && body.error === "invalid_grant")),
      );
      assert.equal(await isTokenAccepted(successes[0]?.body.access_token), false);
      assert.equal(
        (await refreshTokens(service.base, client, successes[0]?.body.refresh_token)).body.error,
        "invalid_grant",
      );
    }
    assert.ok(
      await isTokenAccepted(otherConnection.tokens.access_token),
      "another grant of the same client stays valid",
    );
  });

  test("revokes the grant when its code is used again later (GRANT-5)", async () => {
    const obtainedCode = await obtainCode(service.base, connectOptions);
    const firstResponse = await exchangeCode(service.base, obtainedCode);
    assert.ok(await isTokenAccepted(firstResponse.body.access_token));
    assert.equal((await exchangeCode(service.base, obtainedCode)).body.error, "invalid_grant");
    assert.equal(await isTokenAccepted(firstResponse.body.access_token), false);
    assert.equal(
      (await refreshTokens(service.base, client, firstResponse.body.refresh_token)).body.error,
      "invalid_grant",
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
    const twoResourcesForm = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: client.id,
      code: obtainedCode.code,
      redirect_uri: client.redirectUri,
      code_verifier: obtainedCode.verifier,
    });
    for (const resource of [`${service.base}/mcp`, "https://other.example/mcp"])
      twoResourcesForm.append("resource", resource);
    assert.equal((await post(`${service.base}${endpointPaths.token}`, twoResourcesForm)).body.error, "invalid_target");
    const success = await exchangeCode(service.base, obtainedCode, { resource: `${service.base}/mcp` });
    assert.equal(success.status, 200, success.text);
    assert.ok(await isTokenAccepted(success.body.access_token));
  });

  test("accepts the resource with and without /mcp, a trailing slash or uppercase letters, at every step (GRANT-2, A13)", async () => {
    const { base } = service;
    const uppercaseResource = `${base.toUpperCase()}/mcp`;
    for (const requestedResource of [undefined, `${base}/mcp`, `${base}/mcp/`, base, `${base}/`, uppercaseResource]) {
      for (const resource of [undefined, `${base}/mcp`, `${base}/`, uppercaseResource]) {
        const obtainedCode = await obtainCode(base, {
          ...connectOptions,
          authorizationParams: { resource: requestedResource },
        });
        const { status, body, text } = await exchangeCode(base, obtainedCode, { resource });
        assert.equal(status, 200, text);
        assert.ok(await isTokenAccepted(body.access_token), `${requestedResource} ${resource}`);
        const refreshResponse = await refreshTokens(base, client, body.refresh_token, { resource });
        assert.ok(await isTokenAccepted(refreshResponse.body.access_token), `${requestedResource} ${resource}`);
      }
    }
  });

  test("a code expires after sixty seconds (GRANT-1, A7)", async (t) => {
    // The OAuth library uses Date. The time stands still while the codes are obtained, so that both have the same age.
    t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const [earlyCode, lateCode] = [
      await obtainCode(service.base, connectOptions),
      await obtainCode(service.base, connectOptions),
    ];
    t.mock.timers.setTime(Date.now() + seconds(59));
    assert.equal((await exchangeCode(service.base, earlyCode)).status, 200);
    t.mock.timers.setTime(Date.now() + seconds(1));
    const { status, body } = await exchangeCode(service.base, lateCode);
    assert.equal(status, 400);
    assert.equal(body.error, "invalid_grant");
  });

  test("rejects repeated parameters, parameters in the query, and credentials in two places (A21)", async () => {
    const obtainedCode = await obtainCode(service.base, connectOptions);
    const params = {
      grant_type: "authorization_code",
      client_id: client.id,
      code: obtainedCode.code,
      redirect_uri: client.redirectUri,
      code_verifier: obtainedCode.verifier,
    };
    const url = `${service.base}${endpointPaths.token}`;
    for (const [name, value] of Object.entries(params)) {
      const body = new URLSearchParams(params);
      body.append(name, value);
      const response = await post(url, body);
      assert.equal(response.status, 400, name);
      assert.equal(response.body.error, "invalid_request", `${name} ${response.text}`);
    }
    const query = new URLSearchParams(params).toString();
    const queryResponse = await post(`${url}?${query}`, new URLSearchParams());
    assert.equal(queryResponse.body.error, "invalid_request");
    assert.equal((await fetch(`${url}?${query}`)).status, 405);

    const confidentialClient = await registerClient(service.base, {
      token_endpoint_auth_method: "client_secret_basic",
    });
    const confidentialCode = await obtainCode(service.base, { ...connectOptions, client: confidentialClient });
    const basicCredentials = `Basic ${btoa(`${confidentialClient.id}:${confidentialClient.secret}`)}`;
    const form = { ...params, code: confidentialCode.code, code_verifier: confidentialCode.verifier };
    const twoCredentialsResponse = await post(
      url,
      new URLSearchParams({ ...form, client_id: confidentialClient.id, client_secret: confidentialClient.secret! }),
      {
        authorization: basicCredentials,
      },
    );
    assert.equal(twoCredentialsResponse.body.error, "invalid_request", twoCredentialsResponse.text);
    const otherClientIdResponse = await post(url, new URLSearchParams(form), { authorization: basicCredentials });
    assert.equal(otherClientIdResponse.body.error, "invalid_request", otherClientIdResponse.text);
    for (const header of [
      "Basic",
      "Basic !",
      `Basic ${btoa("x")}`,
      `Basic ${btoa("%:%")}`,
      `Basic ${btoa(`${confidentialClient.id}:`)}`,
    ]) {
      const response = await post(url, new URLSearchParams({ ...form, client_id: confidentialClient.id }), {
        authorization: header,
      });
      assert.ok([400, 401].includes(response.status), `${header} ${response.text}`);
    }
    const wrongSecretResponse = await post(url, new URLSearchParams({ ...form, client_id: confidentialClient.id }), {
      authorization: `Basic ${btoa(`${confidentialClient.id}:wrong`)}`,
    });
    assert.equal(wrongSecretResponse.status, 401);
    assert.equal(wrongSecretResponse.body.error, "invalid_client");
    assert.match(wrongSecretResponse.headers.get("www-authenticate") ?? "", /^Basic /); // RFC 6749 §5.2
    const success = await post(url, new URLSearchParams({ ...form, client_id: confidentialClient.id }), {
      authorization: basicCredentials,
    });
    assert.equal(success.status, 200, success.text);
    assert.equal(
      (await exchangeCode(service.base, obtainedCode)).status,
      200,
      "rejected requests do not consume the code",
    );
  });

  test("rejects bodies that are not form-encoded (GRANT-2)", async () => {
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
        const response = await post(url.replace(endpointPaths.token, path), body, { "content-type": type });
        assert.equal(response.status, 400, `${path} ${type} ${response.text}`);
        assert.equal(response.body.error, "invalid_request", response.text);
      }
    }
  });
});
