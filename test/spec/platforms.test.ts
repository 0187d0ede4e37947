import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { type AssetKind, assetKinds } from "#domain/model/asset-kinds.ts";
import type { MediaLimit, PostLimits } from "#domain/model/platform-limits.ts";
import { catalog } from "#connectors/catalog.ts";
import { bluesky } from "#connectors/bluesky/connect.ts";
import {
  resolveEndpoints,
  exampleInstance,
  omitUndefined,
  platformExamples,
  sampleCredential,
  type PlatformExample,
} from "../support/platform-examples.ts";
import { getPlatformName } from "../../web/src/platforms/platform-name.ts";
import type { PublicRequest } from "#lib/public-fetch.ts";
import type { OAuthPlatform, JsonObject } from "#connectors/platform.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { buildAccountCall } from "#connectors/oauth-connector.ts";
import { fc } from "../support/fuzz.ts";
import { mastodon } from "#connectors/mastodon/connect.ts";
import { createProofKey } from "#connectors/atproto/proofs.ts";
import { createPublisher } from "#connectors/publisher.ts";
import type { CommitOutcome } from "#domain/ports/publisher.ts";
import { PlatformError } from "#domain/model/platform-error.ts";

const allPlatforms = [...catalog, bluesky];

/** Rules that every entry of the catalog follows. */
test("every platform has a unique id that fits URLs and settings", () => {
  const ids = allPlatforms.map(({ id }) => id);
  for (const id of ids) assert.match(id, /^[a-z][a-z0-9]*$/);
  const folders = readdirSync("src/connectors").filter((name) => existsSync(`src/connectors/${name}/connect.ts`));
  assert.deepEqual(ids.toSorted(), folders.toSorted(), "the catalog lists every platform's folder once, under its id");
});

test("the web app's lists name every platform as the catalog does, or shorter (WEB-12)", () => {
  for (const { id, name } of allPlatforms) assert.match(name, new RegExp(`^${getPlatformName(id)}(?: Pages)?$`));
});

test("every URL of a platform is https", () => {
  for (const platform of catalog) {
    const { id } = platform;
    const { issuer, authorization, token, revocation, api } = resolveEndpoints(platform);
    const urls = [issuer, authorization, token, revocation, api];
    for (const url of urls.filter((url) => url !== undefined))
      assert.equal(new URL(url).protocol, "https:", `${id}: ${url}`);
    assert.doesNotMatch(api, /\/$/, id);
  }
});

test("every platform cites sources for its limits and for the rest, each with the day it was read", () => {
  const page = readFileSync("docs/platforms.md", "utf8");
  const datePattern = /^\d{4}-\d{2}-\d{2}$/;
  for (const { id, name, limits } of allPlatforms) {
    const section = page.split(`\n## ${name}\n`)[1]?.split("\n## ")[0];
    assert.match(section ?? "", /^- \*\*Sources\*\* .* read on \d{4}-\d{2}-\d{2}: <https:/m, id);
    assert.ok(limits.sources.length > 0, id);
    for (const { url, readOn, dated: pageDate } of limits.sources) {
      assert.equal(new URL(url).protocol, "https:", `${id}: ${url}`);
      assert.match(readOn, datePattern, url);
      if (pageDate !== undefined) assert.match(pageDate, datePattern, url);
      if (pageDate !== undefined) assert.ok(pageDate <= readOn, url);
    }
  }
});

test("docs/platforms.md documents every platform, with its settings if it has any", () => {
  const page = readFileSync("docs/platforms.md", "utf8");
  for (const platform of allPlatforms) {
    const { id, name } = platform;
    const hasSettings = platform.protocol === undefined && platform.appRegistration === undefined;
    assert.ok(page.includes(`\n## ${name}\n`), `docs/platforms.md has no section ${name}`);
    const settings = ["ID", "SECRET"].map((suffix) => `\`PLATFORM_${id.toUpperCase()}_CLIENT_${suffix}\``);
    for (const setting of settings) assert.equal(page.includes(setting), hasSettings, setting);
  }
});

test("a platform with standard revocation has a revocation endpoint", () => {
  for (const platform of catalog) {
    if (platform.revoke === "standard") assert.ok(resolveEndpoints(platform).revocation, platform.id);
  }
});

test("limits are positive, and name only file types that Atelier accepts", () => {
  for (const { id, limits } of allPlatforms) {
    for (const number of findNumbers(limits)) assert.ok(number > 0, id);
    const media = { image: limits.images, video: limits.videos, document: limits.documents };
    for (const [kind, acceptedTypes] of Object.entries(assetKinds)) {
      const limit: MediaLimit | undefined = media[kind as AssetKind];
      const types = [...(limit?.types ?? []), ...Object.keys(limit?.maxBytesByType ?? {})];
      for (const type of types) assert.ok((acceptedTypes as readonly string[]).includes(type), `${id}: ${type}`);
    }
  }
});

function findNumbers(value: PostLimits | object): number[] {
  return Object.values(value).flatMap((inner: unknown) => {
    if (typeof inner === "number") return [inner];
    return typeof inner === "object" && inner !== null ? findNumbers(inner) : [];
  });
}

const account = { id: "1", handle: "studio", name: null, avatarUrl: null, profileUrl: null };

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
function createFakePlatform(platform: OAuthPlatform, { token, extended, account }: PlatformExample) {
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

for (const platform of catalog) {
  const { id, name, parseAccounts } = platform;
  const example = platformExamples[id];

  test(`${name}: parses the response that its documentation shows`, () => {
    assert.ok(example, `add an example of ${id} to test/support/platform-examples.ts`);
    assert.deepEqual(parseAccounts(example.account).map(omitUndefined), example.accounts);
  });

  test(`${name}: builds the calls that its documentation specifies`, () => {
    const { buildLongLivedTokenCall, refresh, revoke } = platform;
    const token = { ...sampleCredential, endpoints: resolveEndpoints(platform) };
    const calls = {
      account: buildAccountCall(platform, token),
      extend: buildLongLivedTokenCall?.(token),
      refresh: buildCall(refresh),
      revoke: buildCall(revoke),
    };
    assert.deepEqual(omitUndefined(calls), example?.calls);

    function buildCall(call: OAuthPlatform["refresh"]) {
      return typeof call === "function" ? call(token) : undefined;
    }
  });

  test(`${name}: finds no account in an unexpected response`, () => {
    const unexpected = [{}, { error: { code: 190 } }, { data: null }, { data: [] }, { data: {} }, { items: [{}] }];
    for (const response of unexpected) assert.deepEqual(findAccounts(platform, response), [], JSON.stringify(response));
  });

  test(`${name}: each account parsed from any response has an id and only text values`, () => {
    fc.assert(
      fc.property(createResponsesLike(example?.account ?? {}), (response) => {
        for (const account of findAccounts(platform, response)) {
          assert.ok(account.id.length > 0);
          for (const value of Object.values(omitUndefined(account))) assert.equal(typeof value, "string");
        }
      }),
    );
  });
}

test("a hostile handle cannot change the origin of a profile URL", () => {
  for (const platform of catalog) {
    const response = platformExamples[platform.id]?.account ?? {};
    const hostile = replaceValues(response, (key) => (/user_?name|acct/.test(key) ? "../@evil.example/?#" : undefined));
    for (const { profileUrl } of findAccounts(platform, hostile)) {
      if (profileUrl === undefined) continue;
      const expectedUrl = platformExamples[platform.id]?.accounts[0]?.profileUrl ?? "";
      const { origin, search, hash } = new URL(profileUrl);
      assert.deepEqual(
        { origin, search, hash },
        { origin: new URL(expectedUrl).origin, search: "", hash: "" },
        platform.id,
      );
    }
  }
});

test("no platform's commit returns an id that can't be stored, or a URL that can't be linked to (F8)", async () => {
  const key = await createProofKey();
  const binding = { key, accountId: "1", issuer: "https://a.example", serverUrl: "https://a.example" };
  const publishingPlatforms = allPlatforms.filter(({ publishing }) => publishing);
  assert.ok(publishingPlatforms.length >= 7);
  for (const platform of publishingPlatforms) {
    /** Publishes a text. The platform names the post with this id and URL in every response. */
    const commit = (id: unknown, url: unknown): Promise<CommitOutcome> => {
      const post = { id, uri: id, publish_id: id, url, permalink: url, permalink_url: url };
      // A header can't contain the other values.
      const headers = typeof id === "string" && /^1+$/.test(id) ? { "x-restli-id": id } : {};
      const publicFetch = async () => Response.json({ ...post, data: post }, { headers });
      const publisher = createPublisher({
        setups: [
          platform.protocol === "atproto"
            ? { platform, publicFetch, plcUrl: "https://plc.example", clientKeys: [] }
            : { platform, publicFetch },
        ],
        createMediaUrl: () => "",
        openFile: () => Promise.reject(new Error("this test has no files")),
        sleep: async () => {},
      });
      return publisher.commit({
        ...{ accessToken: "the token", binding, commitKey: "key", committedAt: 0, progress: {} },
        connection: { platform: platform.id, instance: exampleInstance, account },
        content: { title: null, text: "Text", assets: [] },
        replyTo: null,
      });
    };
    for (const id of ["1\0", "\ud800", "1".repeat(100_000), "", {}, Infinity])
      assert.equal((await commit(id, "https://a.example")).kind, "unknown", `${platform.id}: ${JSON.stringify(id)}`);
    for (const url of ["javascript:alert(1)", `https://a.example/${"1".repeat(100_000)}`, 7, null]) {
      const outcome = await commit("1", url);
      if (platform.id === "tiktok" && outcome.kind === "processing") continue; // a lookup reads the id and the URL
      assert.equal(outcome.kind, "published");
      const postUrl = "url" in outcome ? outcome.url : undefined;
      assert.ok(postUrl === null || (postUrl?.startsWith("https:") && postUrl.length < 2000), String(postUrl));
    }
  }
});

test("accounts and tokens that can't be stored are rejected (F8)", async () => {
  const connect = (account: JsonObject, accessToken = "a token") => {
    const publicFetch = async (url: string): Promise<Response> =>
      Response.json(url.endsWith("/oauth/token") ? { access_token: accessToken, token_type: "bearer" } : account);
    const target = { platform: "mastodon", instance: "https://social.example" };
    const platforms = createPlatforms("https://atelier.example", [{ platform: mastodon, publicFetch }]);
    const app = { clientId: "id", clientSecret: "secret" };
    const callback = new URL("https://atelier.example/?code=c&state=s");
    return platforms.finishAuthorization(target, app, callback, { state: "s", verifier: "v".repeat(43) });
  };
  const longText = "1".repeat(100_000);
  for (const id of ["1\0", longText]) await assert.rejects(connect({ id }), PlatformError);
  for (const token of ["a\0", "a\nb", longText]) await assert.rejects(connect({ id: "1" }, token), PlatformError);
  const emoji = "\u{1f30a}";
  const [connected] = await connect({ id: "1", display_name: `a${emoji.repeat(200)}`, url: "javascript:alert(1)" });
  const { name, profileUrl } = connected?.account ?? {};
  // 200 characters of UTF-16 end within the last emoji.
  assert.deepEqual([name, profileUrl], [`a${emoji.repeat(99)}\ufffd`, null]);
});

/** The accounts in the response. Callers treat a rejected response like one without accounts. */
function findAccounts({ parseAccounts }: OAuthPlatform, response: JsonObject) {
  try {
    return parseAccounts(response);
  } catch {
    return [];
  }
}

/** The example with some of its values, at any depth, replaced by arbitrary JSON. */
function createResponsesLike(example: JsonObject): fc.Arbitrary<JsonObject> {
  return fc
    .array(fc.option(fc.jsonValue(), { freq: 2, nil: undefined }), { minLength: 40, maxLength: 40 })
    .map((values) => replaceValues(example, () => values.shift()));
}

function replaceValues(value: JsonObject, getReplacement: (key: string) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, getReplacement(key) ?? replaceWithin(inner, getReplacement)]),
  );
}

function replaceWithin(value: unknown, getReplacement: (key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => replaceWithin(inner, getReplacement));
  return typeof value === "object" && value !== null ? replaceValues(value as JsonObject, getReplacement) : value;
}
