import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { readResponse, endpointPaths, post, type OAuthResponse } from "../support/oauth-client.ts";
import { useService } from "../support/oauth-fixture.ts";

forOneEngine("oauth discovery", (fixture) => {
  const service = useService(fixture);

  const get = async (path: string, headers: Record<string, string> = {}): Promise<OAuthResponse> =>
    readResponse(await fetch(`${service.base}${path}`, { headers }));

  test("the protected resource metadata is exactly as specified, at both paths (META-1)", async () => {
    const { base } = service;
    for (const path of ["", "/mcp"]) {
      const { status, headers, body } = await get(`/.well-known/oauth-protected-resource${path}`);
      assert.equal(status, 200);
      assert.match(headers.get("content-type") ?? "", /^application\/json/);
      assert.deepEqual(body, {
        resource: `${base}/mcp`,
        authorization_servers: [base],
        scopes_supported: ["studio:read", "studio:write", "studio:publish"],
        bearer_methods_supported: ["header"],
        resource_name: "Atelier",
      });
    }
  });

  const serverPaths = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
  ];

  test("the authorization server metadata is the same at every path that clients probe (META-2)", async () => {
    const { base } = service;
    for (const path of serverPaths) {
      const { status, headers, body } = await get(path);
      assert.equal(status, 200, path);
      assert.match(headers.get("content-type") ?? "", /^application\/json/);
      assert.deepEqual(body, {
        issuer: base,
        authorization_endpoint: `${base}/api/auth/oauth2/authorize`,
        token_endpoint: `${base}/api/auth/oauth2/token`,
        registration_endpoint: `${base}/api/auth/mcp/register`,
        revocation_endpoint: `${base}/api/auth/oauth2/revoke`,
        jwks_uri: `${base}/api/auth/jwks`,
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
        scopes_supported: ["openid", "offline_access", "studio:read", "studio:write", "studio:publish"],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
        request_uri_parameter_supported: false,
        id_token_signing_alg_values_supported: ["ES256"],
        subject_types_supported: ["public"],
        claims_parameter_supported: false,
        claims_supported: ["sub", "sid", "auth_time", "iss"],
        claim_types_supported: ["normal"],
      });
    }
  });

  test("the JWKS contains only public keys (META-2)", async () => {
    const { status, body } = await get("/api/auth/jwks");
    assert.equal(status, 200);
    assert.equal(body.keys.length, 1);
    assert.deepEqual(Object.keys(body.keys[0]).toSorted(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });

  test("URLs come from settings, not from the Host header (META-3, SIGN-9)", async () => {
    const forged = {
      host: `127.0.0.1:${new URL(service.base).port}`, // accepted by the HTTP entry point, but not the configured host
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      "x-forwarded-prefix": "/evil",
      forwarded: "host=evil.example;proto=https",
    };
    for (const path of [
      ...serverPaths,
      "/.well-known/oauth-protected-resource",
      "/dev-idp/.well-known/openid-configuration",
    ]) {
      // The dev issuer rejects forwarded requests.
      const headers = path.startsWith("/dev-idp/") ? { host: forged.host } : forged;
      const { text } = await call(service, "GET", path, { headers });
      assert.ok(text.includes(service.base), path);
      assert.doesNotMatch(text, /evil|127\.0\.0\.1|https:/, path);
    }
  });

  test("every other path under /.well-known/ is a JSON 404 (META-4)", async () => {
    for (const path of ["jwks.json", "oauth-authorization-server/other", "oauth-protected-resource/", "mcp.json", ""]) {
      const { status, headers, body } = await get(`/.well-known/${path}`, { accept: "text/html" });
      assert.equal(status, 404, path);
      assert.match(headers.get("content-type") ?? "", /json/);
      assert.equal(body.code, "not_found");
      assert.equal(headers.get("access-control-allow-origin"), "*");
      const preflight = await fetch(`${service.base}/.well-known/${path}`, { method: "OPTIONS" });
      assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /MCP-Protocol-Version/);
    }
  });

  test("responds with 405 and Allow to a method that the path does not support (META-4, A21)", async () => {
    const pathsByAllow: Record<string, readonly string[]> = {
      "GET, HEAD": [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        ...serverPaths,
        "/api/auth/jwks",
        endpointPaths.authorize,
      ],
      POST: [endpointPaths.register, endpointPaths.token, endpointPaths.revoke],
    };
    for (const [allow, paths] of Object.entries(pathsByAllow)) {
      for (const path of paths) {
        for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"].filter((name) => !allow.includes(name))) {
          const response = await readResponse(await fetch(`${service.base}${path}`, { method, redirect: "manual" }));
          assert.deepEqual([response.status, response.headers.get("allow")], [405, allow], `${method} ${path}`);
          assert.equal(response.body.error, "invalid_request");
        }
      }
    }
  });

  test("pages of any origin may read public metadata and call the token endpoints, without cookies (META-5, W6)", async () => {
    const publicPaths = [...serverPaths, "/.well-known/oauth-protected-resource", "/api/auth/jwks"];
    for (const origin of ["https://evil.example", "null"]) {
      for (const path of publicPaths) assertPublicCors(await get(path, { origin }), path);
      for (const path of [endpointPaths.token, endpointPaths.revoke, endpointPaths.register])
        assertPublicCors(await post(`${service.base}${path}`, "", { origin }), path);
      for (const path of [...publicPaths, endpointPaths.token, endpointPaths.revoke, endpointPaths.register]) {
        const headers = { origin, "access-control-request-method": "POST" };
        const preflight = await readResponse(await fetch(`${service.base}${path}`, { method: "OPTIONS", headers }));
        assert.ok([200, 204].includes(preflight.status), path);
        assertPublicCors(preflight, path);
        const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
        for (const name of ["authorization", "content-type", "mcp-protocol-version"])
          assert.ok(allowed.includes(name), `${path} ${name}`);
      }
    }
  });

  test("pages of other origins cannot read responses that depend on cookies (W6)", async () => {
    for (const path of [endpointPaths.authorize, "/login", "/consent/x", "/api/me"]) {
      for (const origin of ["https://evil.example", "null"]) {
        const { headers } = await get(path, { origin });
        assert.equal(headers.get("access-control-allow-origin"), null, path);
        assert.equal(headers.get("access-control-allow-credentials"), null, path);
      }
    }
  });
});

function assertPublicCors({ headers }: OAuthResponse, path: string): void {
  assert.equal(headers.get("access-control-allow-origin"), "*", path);
  assert.equal(headers.get("access-control-allow-credentials"), null, path);
}
