import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongRun } from "../support/long-run.ts";
import { findRegexps, createHardInputs, measureMatchMs } from "../support/regexps.ts";

/** Takes the square of its text's length, but is only asked about names of our own. */
const ownInput = new Set([String.raw`-[\w-]{8,}\.\w+$`]); // files of the built web app

const [letters, mostMs] = isLongRun ? [100_000, 100] : [20_000, 50];

test(`every regular expression of src/ and web/ gets through ${letters} letters made for it within ${mostMs} ms (X4)`, (t) => {
  const { literals, dynamicFiles: made } = findRegexps("{src,web/src}/**/*.{ts,tsx}");
  const different = new Map(literals.map((one) => [`/${one.pattern}/${one.flags}`, one]));
  assert.ok(different.size > 100, "the parser finds them");
  const slow: string[] = [];
  for (const [name, one] of different) {
    if (ownInput.has(one.pattern)) continue;
    for (const text of createHardInputs(one, letters)) {
      if (measureMatchMs(one, text, mostMs) < mostMs) continue;
      slow.push(`${one.file}: ${name} on ${JSON.stringify(text.slice(0, 20))}…`);
      break;
    }
  }
  assert.deepEqual(slow, []);
  assert.deepEqual(made, ["src/lib/ids.ts"], "made of the prefixes of ids; any other is to be looked at here");
  t.diagnostic(`${different.size} expressions`);
});

test("the search finds what it is for", () => {
  const bad = ["(a+)+$", "(\\s*,\\s*)+;", "^(\\w+\\s?)*$", "[\\s.]+$", "-+$", "(?:.*=)(?:.*=)(?:.*=)x"];
  for (const pattern of bad) {
    const one = { file: "", pattern, flags: "" };
    assert.ok(
      [...createHardInputs(one, letters)].some((text) => measureMatchMs(one, text, mostMs) >= mostMs),
      pattern,
    );
  }
});
