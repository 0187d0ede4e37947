import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { catalog } from "#connectors/catalog.ts";
import { bluesky } from "#connectors/catalog/bluesky.ts";
import { mastodon } from "#connectors/catalog/mastodon.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import type { JsonObject, Platform } from "#connectors/platform.ts";
import type { PublishContext } from "#connectors/publishing.ts";
import { PlatformError } from "#domain/platforms/platform-error.ts";
import { omitUndefined, platformExamples, resolveEndpoints, sampleCredential } from "../support/platform-examples.ts";

for (const platform of catalog) {
  const { id, name, parseAccounts } = platform;
  const example = platformExamples[id];

  test(`${name}: parses the response that its documentation shows`, () => {
    assert.ok(example, `add an example of ${id} to test/support/platform-examples.ts`);
    assert.deepEqual(parseAccounts(example.account).map(omitUndefined), example.accounts);
  });

  test(`${name}: builds the calls that its documentation specifies`, () => {
    const { buildAccountCall, buildLongLivedTokenCall, refresh, revoke } = platform;
    const token = { ...sampleCredential, endpoints: resolveEndpoints(platform) };
    const calls = {
      account: buildAccountCall(token),
      extend: buildLongLivedTokenCall?.(token),
      refresh: buildCall(refresh),
      revoke: buildCall(revoke),
    };
    assert.deepEqual(omitUndefined(calls), example?.calls);

    function buildCall(call: Platform["refresh"]) {
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

test("no platform's parser returns an id that can't be stored, or a URL that can't be linked to (F8)", () => {
  const context = {
    account: { id: "1", handle: "studio" },
    endpoints: { api: "https://api.example" },
    content: { title: null, text: "", assets: [] },
    progress: { mediaIds: {} },
  } as unknown as PublishContext;
  const createBody = (id: unknown, url: unknown): JsonObject => {
    const post = { id, uri: id, url, permalink: url, permalink_url: url };
    return { ...post, data: post };
  };
  const publishings = [...catalog, bluesky].flatMap(({ publishing }) => (publishing ? [publishing] : []));
  assert.ok(publishings.length >= 7);
  for (const { commit, permalink } of publishings) {
    for (const id of ["1\0", "\ud800", "1".repeat(100_000), "", {}, Infinity]) {
      // A header can't contain the other values.
      const headers = new Headers(typeof id === "string" && id.length > 2 ? { "x-restli-id": id } : {});
      assert.throws(() => commit.parsePost(createBody(id, "https://a.example"), context, headers), /the response has/);
    }
    for (const url of ["javascript:alert(1)", `https://a.example/${"1".repeat(100_000)}`, 7, null]) {
      const headers = new Headers({ "x-restli-id": "1" });
      const { url: postUrl } = commit.parsePost(createBody("1", url), context, headers);
      assert.ok(
        postUrl === null || (postUrl.startsWith("https:") && postUrl.length < 2000),
        String(postUrl).slice(0, 50),
      );
      assert.equal(permalink?.parseUrl(createBody("1", url)) ?? null, null);
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
function findAccounts({ parseAccounts }: Platform, response: JsonObject) {
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
