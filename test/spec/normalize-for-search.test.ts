import assert from "node:assert/strict";
import { test } from "node:test";
import { countText } from "#portable/count-text.ts";
import { normalizeForSearch } from "#domain/posts/search-posts.ts";

/** The reference implementation: normalizes the whole text in one step, with no bound on the time. */
const normalizeWhole = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/ς/g, "σ")
    .replace(/\s+/g, " ")
    .trim();

const samples = ["a", "É", "ς", "ﷺ", "한", "𝐀", "😀", "İ", "ﾞ", "ำ", "a\u0301\u0323", " \n", "\u2003", "⁗"];

test("normalizing a text in pieces gives the same result as normalizing all of it in one step", () => {
  for (const sample of samples) {
    // Each offset moves the boundaries of the pieces to another point within the sample.
    for (const offset of [0, 1, 2, 3]) {
      const text = `${"x".repeat(offset)}${sample.repeat(3000)} end`;
      assert.equal(normalizeForSearch(text, "text"), normalizeWhole(text), JSON.stringify(sample));
    }
  }
});

test("truncates normalized text to its maximum, never inside a surrogate pair", () => {
  assert.equal(normalizeForSearch("ﷺ".repeat(100_000), "text").length, 200_000);
  assert.equal(normalizeForSearch("ﷺ".repeat(200), "query").length, 200);
  assert.equal(normalizeForSearch(`a${"😀".repeat(200)}`, "query"), `a${"😀".repeat(99)}`);
  assert.equal(normalizeForSearch(`${"a".repeat(199)} b`, "query"), "a".repeat(199));
});

/** Characters that expand a lot, or make normalization sort a run of marks by their combining class. */
const hostileCharacters = {
  "U+FDFA": "ﷺ",
  "marks of alternating classes": "\u0301\u0323",
  "other marks": "\u0345\u0334",
};

/** The minimum of three runs, because a busy machine only adds time. */
function measureMinMs(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

for (const [name, characters] of Object.entries(hostileCharacters)) {
  const body = `a${characters.repeat(100_000 / characters.length)}`.slice(0, 100_000);

  test(`normalizes the longest body within 250 ms: ${name} (X4)`, () => {
    const ms = measureMinMs(() => normalizeForSearch(body, "text"));
    assert.ok(ms < 250, `${ms} ms`);
  });

  test(`counts the characters of the longest body as the platform X does, within a second: ${name} (X4)`, () => {
    const ms = measureMinMs(() => countText(body, { max: 280, unit: "weighted", linkLength: 23 }));
    assert.ok(ms < 1000, `${ms} ms`);
    assert.ok(countText(body, { max: 280, unit: "weighted" }) > 280);
  });
}
