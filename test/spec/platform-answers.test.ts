import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { catalog } from "#connectors/catalog.ts";
import type { Endpoints, JsonObject, Platform } from "#connectors/platform.ts";
import { sampleCredential, platformExamples } from "../support/platform-examples.ts";

for (const platform of catalog) {
  const { id, name, parseAccounts: readAccounts } = platform;
  const example = platformExamples[id];

  test(`${name}: an answer as its documentation shows it is read`, () => {
    assert.ok(example, `give ${id} an example in test/support/platform-examples.ts`);
    assert.deepEqual(readAccounts(example.account).map(stated), example.accounts);
  });

  test(`${name}: it is called as its documentation says`, () => {
    const { buildAccountCall: account, buildExtendCall: extend, refresh, revoke } = platform;
    const token = { ...sampleCredential, endpoints: endpointsOf(platform) };
    const calls = { account: account(token), extend: extend?.(token), refresh: made(refresh), revoke: made(revoke) };
    assert.deepEqual(stated(calls), example?.calls);

    function made(call: Platform["refresh"]) {
      return typeof call === "function" ? call(token) : undefined;
    }
  });

  test(`${name}: an answer that is something else gives no account`, () => {
    const others = [{}, { error: { code: 190 } }, { data: null }, { data: [] }, { data: {} }, { items: [{}] }];
    for (const answer of others) assert.deepEqual(accountsIn(platform, answer), [], JSON.stringify(answer));
  });

  test(`${name}: whatever it answers, what is read from it is text, and an account has an id`, () => {
    fc.assert(
      fc.property(answersLike(example?.account ?? {}), (answer) => {
        for (const found of accountsIn(platform, answer)) {
          assert.ok(found.id.length > 0);
          for (const value of Object.values(stated(found))) assert.equal(typeof value, "string");
        }
      }),
    );
  });
}

test("a handle cannot lead an address of ours elsewhere", () => {
  for (const platform of catalog) {
    const answer = platformExamples[platform.id]?.account ?? {};
    const hostile = replaced(answer, (key) => (/user_?name|acct/.test(key) ? "../@evil.example/?#" : undefined));
    for (const { profileUrl } of accountsIn(platform, hostile)) {
      if (profileUrl === undefined) continue;
      const was = platformExamples[platform.id]?.accounts[0]?.profileUrl ?? "";
      const { origin, search, hash } = new URL(profileUrl);
      assert.deepEqual({ origin, search, hash }, { origin: new URL(was).origin, search: "", hash: "" }, platform.id);
    }
  }
});

function endpointsOf({ endpoints }: Platform): Endpoints {
  return typeof endpoints === "function" ? endpoints("https://instance.example") : endpoints;
}

/** None, or a refusal, which comes to the same for whoever asked. */
function accountsIn({ parseAccounts: readAccounts }: Platform, answer: JsonObject) {
  try {
    return readAccounts(answer);
  } catch {
    return [];
  }
}

/** The example with some of its values, at whatever depth, replaced by something else. */
function answersLike(example: JsonObject): fc.Arbitrary<JsonObject> {
  return fc
    .array(fc.option(fc.jsonValue(), { freq: 2, nil: undefined }), { minLength: 40, maxLength: 40 })
    .map((values) => replaced(example, () => values.shift()));
}

function replaced(value: JsonObject, by: (key: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, by(key) ?? within(inner, by)]));
}

function within(value: unknown, by: (key: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => within(inner, by));
  return typeof value === "object" && value !== null ? replaced(value as JsonObject, by) : value;
}

/** Without what is undefined: to be left out and to be undefined mean the same. */
function stated<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Partial<T>;
}
