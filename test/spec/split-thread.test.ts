import assert from "node:assert/strict";
import { test } from "node:test";
import { catalog } from "#connectors/catalog.ts";
import { bluesky } from "#connectors/bluesky/connect.ts";
import { countText, type TextLimit } from "#portable/count-text.ts";
import { splitThread } from "#portable/split-thread.ts";
import { fc } from "../support/fuzz.ts";

const graphemes: TextLimit = { max: 20, unit: "graphemes" };

test("splits at the ends of sentences, and within a long sentence at the ends of words (FOLLOW-4)", () => {
  assert.deepEqual(splitThread("It fits in one.", graphemes, 25), ["It fits in one."]);
  assert.deepEqual(splitThread("One is short. Two is, too. Three!", graphemes, 25), [
    "One is short.",
    "Two is, too. Three!",
  ]);
  assert.deepEqual(splitThread("One sentence of too many words. Next.", graphemes, 25), [
    "One sentence of too",
    "many words. Next.",
  ]);
  assert.deepEqual(splitThread(" \n ", graphemes, 25), []);
});

test("the last part has the rest if there would be more parts than allowed (FOLLOW-4)", () => {
  assert.deepEqual(splitThread("First one here. Second one here. Third one.", graphemes, 2), [
    "First one here.",
    "Second one here. Third one.",
  ]);
});

const words = fc.constantFrom(
  "Fog",
  "harbour",
  "界界界",
  "👩‍👩‍👧‍👦",
  "größer.",
  "Yes!",
  "https://example.com/a/b?c=d",
  "#tag",
  "\n\n",
);

test("every part fits in the platform's own units, and no word is lost, repeated or moved (FOLLOW-4)", () => {
  const limits = [...catalog, bluesky].flatMap(({ id, limits: { text } }) => (text ? [{ id, ...text, max: 60 }] : []));
  assert.ok(new Set(limits.map(({ unit }) => unit)).size > 3);
  fc.assert(
    fc.property(fc.array(words, { maxLength: 60 }), fc.constantFrom(...limits), (list, { id, ...limit }) => {
      const text = list.join(" ");
      const parts = splitThread(text, limit, Infinity);
      for (const part of parts) assert.ok(countText(part, limit) <= limit.max, `${id}: ${part}`);
      const withoutSpace = (value: string): string => value.replaceAll(/\s/g, "");
      const countLinks = (values: readonly string[]) =>
        values.flatMap((value) => value.match(/https:\/\/example\.com\/a\/b\?c=d/g) ?? []).length;
      assert.equal(countLinks(parts), countLinks([text]), "no link is divided");
      assert.equal(withoutSpace(parts.join("")), withoutSpace(text));
    }),
    { numRuns: 300 },
  );
});
