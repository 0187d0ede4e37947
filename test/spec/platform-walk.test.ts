import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublicRequest } from "#lib/public-fetch.ts";
import { catalog } from "#connectors/catalog.ts";
import type { Platform } from "#connectors/platform.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { sampleCredential, platformExamples, type PlatformExample } from "../support/platform-examples.ts";

const instance = "https://instance.example";

/** From our page to an account and back, at a platform that answers as its documentation shows. */
for (const platform of catalog) {
  const example = platformExamples[platform.id];
  if (!example) continue;
  const place = { platform: platform.id, instance: typeof platform.endpoints === "function" ? instance : "" };
  const app = { clientId: sampleCredential.clientId, clientSecret: sampleCredential.clientSecret };

  test(`${platform.name}: the way there and back`, async () => {
    const { asked, reach } = documented(platform, example);
    const platforms = createPlatforms("https://atelier.example", [{ platform, app, publicFetch: reach }]);

    const { location, state, verifier } = await platforms.startAuthorization(place, app);
    const went = new URL(location);
    const { authorization, token } = endpointsOf(platform);
    assert.equal(`${went.origin}${went.pathname}`, authorization);
    const query = Object.fromEntries(went.searchParams);
    assert.equal(query[platform.clientIdName ?? "client_id"], app.clientId);
    assert.equal(query["redirect_uri"], platforms.redirectUri(place));
    assert.deepEqual(query["scope"]?.split(platform.scopeSeparator ?? " "), platform.scopes);
    assert.equal(query["code_challenge_method"], platform.pkce ? "S256" : undefined);

    const back = new URL(`${platforms.redirectUri(place)}?code=the-code&state=${state}`);
    const found = await platforms.finishAuthorization(place, app, back, { state, verifier });
    assert.deepEqual(
      found.map(({ account, tokens }) => [account.id, account.handle, stated(tokens)]),
      example.accounts.map(({ id, handle = null }) => [id, handle, example.storedTokens]),
    );

    const redeemed = asked[0];
    assert.equal(redeemed?.address, token);
    const form = Object.fromEntries(new URLSearchParams(redeemed.body));
    assert.equal(form["code"], "the-code");
    assert.equal(form["redirect_uri"], platforms.redirectUri(place));
    assert.equal(form["code_verifier"], platform.pkce ? verifier : undefined);
    const secret = redeemed.authorization ?? [form[platform.clientIdName ?? "client_id"], form["client_secret"]];
    const plain = Buffer.from(`${app.clientId}:${app.clientSecret}`).toString("base64");
    assert.deepEqual(
      secret,
      platform.clientAuth === "basic" ? `Basic ${plain}` : [app.clientId, app.clientSecret],
      "our secret as it is, once, where it belongs",
    );
  });
}

test("Meta's number for a dead token ends a connection; its other refusals do not", async () => {
  for (const platform of catalog.filter(({ id }) => ["instagram", "threads"].includes(id))) {
    for (const [code, kind] of [
      [190, "rejected"],
      [4, "unreachable"],
    ] as const) {
      const reach = async () => Response.json({ error: { type: "OAuthException", code } }, { status: 400 });
      const app = { clientId: sampleCredential.clientId, clientSecret: sampleCredential.clientSecret };
      const platforms = createPlatforms("https://atelier.example", [{ platform, app, publicFetch: reach }]);
      const place = { platform: platform.id, instance: "" };
      await assert.rejects(platforms.renew(place, app, { accessToken: "a" }), { kind }, `${platform.id} ${code}`);
    }
  }
});

function endpointsOf({ endpoints }: Platform) {
  return typeof endpoints === "function" ? endpoints(instance) : endpoints;
}

interface Asked {
  address: string;
  authorization: string | undefined;
  body: string | undefined;
}

/** The platform's side: what it was asked, and its answers in their order. */
function documented(platform: Platform, { token, extended, account }: PlatformExample) {
  const asked: Asked[] = [];
  const answers = [token, ...(platform.buildExtendCall ? [extended ?? {}] : []), account];
  const reach = async (address: string, { headers = {}, body }: PublicRequest = {}): Promise<Response> => {
    asked.push({ address, authorization: new Headers(headers).get("authorization") ?? undefined, body });
    return Response.json(answers[asked.length - 1]);
  };
  return { asked, reach };
}

/** Without what is undefined: to be left out and to be undefined mean the same. */
function stated(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
