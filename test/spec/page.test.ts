import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "#http/pages/page.ts";

const render = (text: string): string => html`${text}`.markup;

test("text of other users can neither reverse the text after it nor cover it with marks (W4, A25)", () => {
  // As the name of a studio, this would reverse the text that follows it.
  assert.equal(render("Guard\u202e"), "Guard");
  assert.equal(render("\u2066a\u2067b\u2068c\u2069\u202ad\u202be\u202cf\u202dg"), "abcdefg");
  assert.equal(render(`e${"\u0301".repeat(150)}!`), `e${"\u0301".repeat(4)}!`);
});

test("keeps marks, joiners and text direction that a language needs (W4)", () => {
  for (const text of ["שָׁלוֹם \u200fabc", "ที่นี่", "👩‍👩‍👧‍👦", "नमस्ते", "Tiếng Việt", "مُحَمَّد", "བོད་ཡིག"])
    assert.equal(render(text), text);
});
