import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { english } from "../../web/src/review/strings.ts";

const folder = join(import.meta.dirname, "../../web/src/review/locales");
const listPlaceholders = (text: string): string[] => [...text.matchAll(/%\{\w+\}/g)].map(([name]) => name).toSorted();

test("the review page has all texts in all languages, with the same values filled in (REV-9)", () => {
  const names = readdirSync(folder);
  assert.equal(names.length, 8);
  for (const name of names) {
    const strings = JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, string>;
    assert.deepEqual(Object.keys(strings), Object.keys(english), name);
    for (const [key, text] of Object.entries(english))
      assert.deepEqual(listPlaceholders(strings[key] ?? ""), listPlaceholders(text), `${name}: ${key}`);
  }
});
