import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublicRequest } from "#lib/public-fetch.ts";
import { catalog } from "#connectors/catalog.ts";
import type { Platform } from "#connectors/platform.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import {
  exampleInstance,
  omitUndefined,
  platformExamples,
  resolveEndpoints,
  sampleCredential,
  type PlatformExample,
} from "../support/platform-examples.ts";

/** Connects an account on a fake platform that sends the responses in the real platform's documentation. */
for (const platform of catalog) {
  const example = platformExamples[platform.id];
  if (!example) continue;
  const site = { platform: platform.id, instance: typeof platform.endpoints === "function" ? exampleInstance : "" };
  const app = { clientId: sampleCredential.clientId, clientSecret: sampleCredential.clientSecret };

  test(`${platform.name}: authorizes and reads the accounts`, async () => {
    const { requests, publicFetch } = createFakePlatform(platform, example);
    const platforms = createPlatforms("https://atelier.example", [{ platform, app, publicFetch }]);

    const { location, state, verifier } = await platforms.startAuthorization(site, app);
    const authorizationUrl = new URL(location);
    const { authorization, token } = resolveEndpoints(platform);
    assert.equal(`${authorizationUrl.origin}${authorizationUrl.pathname}`, authorization);
    const query = Object.fromEntries(authorizationUrl.searchParams);
    assert.equal(query[platform.clientIdParam ?? "client_id"], app.clientId);
    assert.equal(query["redirect_uri"], platforms.getRedirectUri(site));
    assert.deepEqual(query["scope"]?.split(platform.scopeSeparator ?? " "), platform.scopes);
    assert.equal(query["code_challenge_method"], platform.pkce ? "S256" : undefined);

    const callbackUrl = new URL(`${platforms.getRedirectUri(site)}?code=the-code&state=${state}`);
    const accounts = await platforms.finishAuthorization(site, app, callbackUrl, { state, verifier });
    assert.deepEqual(
      accounts.map(({ account, tokens }) => [account.id, account.handle, omitUndefined(tokens)]),
      example.accounts.map(({ id, handle = null }) => [id, handle, example.storedTokens]),
    );

    const tokenRequest = requests[0];
    assert.equal(tokenRequest?.url, token);
    const form = Object.fromEntries(new URLSearchParams(tokenRequest.body));
    assert.equal(form["code"], "the-code");
    assert.equal(form["redirect_uri"], platforms.getRedirectUri(site));
    assert.equal(form["code_verifier"], platform.pkce ? verifier : undefined);
    const clientAuth = tokenRequest.authorization ?? [
      form[platform.clientIdParam ?? "client_id"],
      form["client_secret"],
    ];
    const basicCredentials = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString("base64");
    assert.deepEqual(
      clientAuth,
      platform.clientAuth === "basic" ? `Basic ${basicCredentials}` : [app.clientId, app.clientSecret],
      "sends the client secret in the way the platform expects",
    );
  });
}

test("only Meta's error code for an invalid token ends a connection", async () => {
  for (const platform of catalog.filter(({ id }) => ["instagram", "threads"].includes(id))) {
    for (const [code, kind] of [
      [190, "rejected"],
      [4, "unavailable"],
    ] as const) {
      const publicFetch = async () => Response.json({ error: { type: "OAuthException", code } }, { status: 400 });
      const app = { clientId: sampleCredential.clientId, clientSecret: sampleCredential.clientSecret };
      const platforms = createPlatforms("https://atelier.example", [{ platform, app, publicFetch }]);
      const site = { platform: platform.id, instance: "" };
      await assert.rejects(platforms.renew(site, app, { accessToken: "a" }), { kind }, `${platform.id} ${code}`);
    }
  }
});

interface PlatformRequest {
  url: string;
  authorization: string | undefined;
  body: string | undefined;
}

/** Records requests and sends the documented responses in order. */
function createFakePlatform(platform: Platform, { token, extended, account }: PlatformExample) {
  const requests: PlatformRequest[] = [];
  const responses = [token, ...(platform.buildLongLivedTokenCall ? [extended ?? {}] : []), account];
  const publicFetch = async (url: string, { headers = {}, body }: PublicRequest = {}): Promise<Response> => {
    requests.push({
      url,
      authorization: new Headers(headers).get("authorization") ?? undefined,
      body: typeof body === "string" ? body : undefined,
    });
    return Response.json(responses[requests.length - 1]);
  };
  return { requests, publicFetch };
}
