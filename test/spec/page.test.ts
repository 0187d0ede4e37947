import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "#http/pages/page.ts";

const shown = (text: string): string => html`${text}`.markup;

test("what a stranger wrote ends where it ends: it neither turns around what follows nor grows over it (W4, A25)", () => {
  // The name of a studio, which would have the page read "renwo sa ,drauG" behind it.
  assert.equal(shown("Guard\u202e"), "Guard");
  assert.equal(shown("\u2066a\u2067b\u2068c\u2069\u202ad\u202be\u202cf\u202dg"), "abcdefg");
  assert.equal(shown(`e${"\u0301".repeat(150)}!`), `e${"\u0301".repeat(4)}!`);
});

test("writing that needs marks, joiners and both directions is shown as it is (W4)", () => {
  for (const text of ["שָׁלוֹם \u200fabc", "ที่นี่", "👩‍👩‍👧‍👦", "नमस्ते", "Tiếng Việt", "مُحَمَّد", "བོད་ཡིག"])
    assert.equal(shown(text), text);
});
