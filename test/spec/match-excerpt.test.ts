import assert from "node:assert/strict";
import { test } from "node:test";
import { splitQuery } from "#domain/model/search/fold.ts";
import { createMatchExcerpt } from "#domain/model/search/match-excerpt.ts";
import { measureCpu } from "../support/cpu-time.ts";

function findMatch(title: string, body: string, query: string) {
  const { text, marks = [] } = createMatchExcerpt(title, body, splitQuery(query)) ?? {};
  return { text, marked: marks.map(([start, end]) => text?.slice(start, end)) };
}

test("returns the part of the text that matches, with the positions of the words (POST-3)", () => {
  const body = `${"Flour and water. ".repeat(10)}A Café in the STRASSE bakes rye; Cafe\u0301s are closed.`;
  const find = (query: string) => findMatch("Sourdough", body, query);
  assert.equal(find("rye").text, "…A Café in the STRASSE bakes rye; Cafe\u0301s are closed.");
  assert.deepEqual(find("RYE").marked, ["rye"]);
  assert.deepEqual(find("cafe straße").marked, ["Café", "STRASSE", "Cafe\u0301"]);
  assert.deepEqual(find("sourdough cl").marked, ["cl"]);
  assert.equal(find("sourdough").text, undefined, "the title contains the word");
  assert.equal(find("").text, undefined);
});

test("letters that fold to several do not move the match (POST-3)", () => {
  const { text = "", marked } = findMatch("Prices", `${"\ufb03 ½ … ".repeat(90)}malt at the end`, "malt");
  assert.match(text, /^….*malt at the end$/);
  assert.deepEqual(marked, ["malt"]);
});

test("searches only the beginning of a long text, so that twenty hostile texts take less than three seconds (X4)", async () => {
  assert.equal(findMatch("Long", `${"\u{1f35e}".repeat(5000)} needle`, "needle").text, undefined);
  const letters = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join(" ");
  const { cpuMs } = await measureCpu(3000, async () => {
    for (let i = 0; i < 20; i++) findMatch("Hostile", `${"\ufdfa".repeat(2700)} ${letters}`, letters);
  });
  assert.ok(cpuMs < 3000, `${cpuMs} ms`);
});
