import assert from "node:assert/strict";
import { test } from "node:test";
import { countText } from "#portable/count-text.ts";
import { buildSearchText, foldForSearch, splitQuery } from "#domain/model/search/fold.ts";
import { measureCpu } from "../support/cpu-time.ts";

const foldedTexts: Record<string, string> = {
  "Crème BRÛLÉE": "creme brulee",
  "Cre\u0300me": "creme",
  "STRASSE Straße GROẞ": "strasse strasse gross",
  "İstanbul ISPARTA ışık": "istanbul isparta isik",
  "ΟΔΥΣΣΕΥΣ Οδυσσεύς": "οδυσσευσ οδυσσευσ",
  "Йод ёлка": "иод елка",
  "ﬁn ² Ⅳ ｆｕｌｌ ﾊﾟﾝ": "fin 2 iv full パン",
  "がぎ か\u3099": "がぎ が",
  "한국어 \u1112\u1161\u11ab": "한국어 한",
  "مُحَمَّد שָׁלוֹם": "مُحَمَّد שָׁלוֹם",
  "ภาษาไทย หน้า": "ภาษาไทย หน้า",
  "हिन्दी ज़": "हिन्दी ज़",
  "👩‍👩‍👧 ❤️": "👩‍👩‍👧 ❤️",
  " a \n\t b\u00a0c\u3000d ": "a b c d",
};

test("folds case, width, ß, ı and marks of Latin, Greek and Cyrillic letters, and no other marks", () => {
  for (const [text, folded] of Object.entries(foldedTexts))
    assert.equal(foldForSearch(text, "text"), folded.normalize("NFC"), text);
  assert.equal(foldForSearch("Crème BRÛLÉE Straße İI ΟΔΟΣ Й", "text"), "creme brulee strasse ii οδοσ и");
  assert.notEqual(foldForSearch("مُحَمَّد", "text"), foldForSearch("محمد", "text"));
  assert.notEqual(foldForSearch("หน้า", "text"), foldForSearch("หนา", "text"));
  assert.notEqual(foldForSearch("が", "text"), foldForSearch("か", "text"));
});

test("folding folded text does not change it", () => {
  for (const text of Object.keys(foldedTexts)) {
    const folded = foldForSearch(text, "text");
    assert.equal(foldForSearch(folded, "text"), folded, text);
  }
});

test("splits a query at whitespace into distinct words", () => {
  assert.deepEqual(splitQuery("  Harbour\u3000series\nHARBOUR "), ["harbour", "series"]);
  assert.deepEqual(splitQuery(" \u00a0 "), []);
});

test("the search text contains the tags even if the body exceeds its maximum length", () => {
  assert.match(buildSearchText(["Title", "ﷺ".repeat(100_000)], ["launch"]), /^title launch /);
});

test("truncates folded text to its maximum, never inside a surrogate pair", () => {
  assert.equal(foldForSearch("ﷺ".repeat(100_000), "text").length, 200_000);
  assert.equal(foldForSearch("ﷺ".repeat(200), "query").length, 200);
  assert.equal(foldForSearch(`a${"😀".repeat(200)}`, "query"), `a${"😀".repeat(99)}`);
  assert.equal(foldForSearch(`${"a".repeat(199)} b`, "query"), "a".repeat(199));
});

/** Characters that expand a lot, or make normalization sort a run of marks by their combining class. */
const hostileCharacters = {
  "U+FDFA": "ﷺ",
  "marks of alternating classes": "\u0301\u0323",
  "other marks": "\u0345\u0334",
  "letters with marks": "a\u0301\u0323",
};

for (const [name, characters] of Object.entries(hostileCharacters)) {
  const body = `a${characters.repeat(100_000 / characters.length)}`.slice(0, 100_000);

  test(`folds the longest body within 250 ms: ${name} (X4)`, async () => {
    const { cpuMs } = await measureCpu(250, async () => foldForSearch(body, "text"));
    assert.ok(cpuMs <= 250, `${cpuMs} ms`);
  });

  test(`counts the characters of the longest body as the platform X does, within a second: ${name} (X4)`, async () => {
    const limit = { max: 280, unit: "weighted", linkLength: 23 } as const;
    const { cpuMs } = await measureCpu(1000, async () => countText(body, limit));
    assert.ok(cpuMs <= 1000, `${cpuMs} ms`);
    assert.ok(countText(body, { max: 280, unit: "weighted" }) > 280);
  });
}
