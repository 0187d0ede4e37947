import assert from "node:assert/strict";
import { test } from "node:test";
import { mastodonInstanceLimits } from "#connectors/catalog/mastodon-publishing.ts";
import { mastodon } from "#connectors/catalog/mastodon.ts";
import { applyInstanceLimits } from "#domain/platforms/instance-limits.ts";
import { countText } from "../../src/portable/count-text.ts";

const { text: limit } = mastodon.limits;

test("counts characters as Mastodon does: links as 23, mentions without their server (PLATFORM-12)", () => {
  assert.ok(limit);
  const expectedLengths: [text: string, length: number][] = [
    ["Hello", 5],
    ["@ada", 4],
    ["@ada@example.com", 4],
    ["(@ada.lovelace@social.example.com)", 15],
    ["@ada@example.com, @grace@navy.example!", 13],
    ["@ada@münchen.example", 4],
    // Neither is a mention.
    ["ada@example.com", 15],
    ["x=@ada@example.com", 18],
    ["https://example.com/@ada@social.example/1 and text", 23 + 9],
    ["👩‍👩‍👧‍👦é️ שלום", 7],
  ];
  assert.deepEqual(
    expectedLengths.map(([text]) => [text, countText(text, limit)]),
    expectedLengths,
  );
});

test("a hostile text of mentions is counted in linear time (PLATFORM-12)", () => {
  assert.ok(limit);
  for (const text of ["@a".repeat(50_000), `@${"a.".repeat(50_000)}`, `@a@${"b-".repeat(50_000)}`]) {
    const startedAt = process.cpuUsage();
    countText(text, limit);
    assert.ok(process.cpuUsage(startedAt).user < 2_000_000, text.slice(0, 10));
  }
});

test("replaces invalid limits of an instance with Mastodon's own, and caps very large ones (PLATFORM-12)", () => {
  for (const invalidValue of [-1, 0, 1.5, "5000", null, [], {}, NaN, Infinity, 2 ** 60]) {
    const statuses = {
      max_characters: invalidValue,
      characters_reserved_per_url: invalidValue,
      max_media_attachments: invalidValue,
    };
    const statedLimits = mastodonInstanceLimits.parse({ configuration: { statuses, media_attachments: "none" } });
    assert.deepEqual(statedLimits, {}, JSON.stringify(invalidValue));
    assert.deepEqual(applyInstanceLimits(mastodon.limits, statedLimits).text, limit);
  }
  assert.deepEqual(mastodonInstanceLimits.parse({ configuration: null }), {});
  const huge = { max_characters: 1e15, characters_reserved_per_url: 1e15, max_media_attachments: 1e15 };
  assert.deepEqual(mastodonInstanceLimits.parse({ configuration: { statuses: huge } }), {
    maxCharacters: 1_000_000,
    linkLength: 1000,
    maxFiles: 100,
  });
});
