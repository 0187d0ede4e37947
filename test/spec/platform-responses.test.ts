import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { catalog } from "#connectors/catalog.ts";
import type { Endpoints, JsonObject, Platform } from "#connectors/platform.ts";
import { sampleCredential, platformExamples } from "../support/platform-examples.ts";

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

function resolveEndpoints({ endpoints }: Platform): Endpoints {
  return typeof endpoints === "function" ? endpoints("https://instance.example") : endpoints;
}

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

/** Drops undefined values, which mean the same as missing ones. */
function omitUndefined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>;
}
