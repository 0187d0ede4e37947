import assert from "node:assert/strict";
import { test } from "node:test";
import { isLongRun } from "../support/long-run.ts";
import { findRegexps, createHardInputs, measureMatchMs } from "../support/regexps.ts";

/** Quadratic in the length of its input, but only matched against our own file names. */
const trustedInputPatterns = new Set([String.raw`-[\w-]{8,}\.\w+$`]); // files of the built web app

const [inputLength, maxMs] = isLongRun ? [100_000, 100] : [20_000, 50];

test(`every regular expression of src/ and web/ matches ${inputLength} characters of hard input within ${maxMs} ms (X4)`, (t) => {
  const { literals, dynamicFiles } = findRegexps("{src,web/src}/**/*.{ts,tsx}");
  const regexps = new Map(literals.map((literal) => [`/${literal.pattern}/${literal.flags}`, literal]));
  assert.ok(regexps.size > 100, "the parser finds regular expressions");
  const slowMatches: string[] = [];
  for (const [name, literal] of regexps) {
    if (trustedInputPatterns.has(literal.pattern)) continue;
    const texts = [...createHardInputs(literal, inputLength)];
    // Most expressions match all texts together within the time limit of a single text. Measuring them together is
    // faster, because setting a time limit takes longer than a match.
    if (measureMatchMs(literal, texts, maxMs) < maxMs) continue;
    for (const text of texts) {
      if (measureMatchMs(literal, [text], maxMs) < maxMs) continue;
      slowMatches.push(`${literal.file}: ${name} on ${JSON.stringify(text.slice(0, 20))}…`);
      break;
    }
  }
  assert.deepEqual(slowMatches, []);
  assert.deepEqual(dynamicFiles, ["src/lib/ids.ts"], "built from id prefixes; review any other file before listing it");
  t.diagnostic(`${regexps.size} expressions`);
});

test("hard inputs expose regular expressions with excessive backtracking", () => {
  const slowPatterns = ["(a+)+$", "(\\s*,\\s*)+;", "^(\\w+\\s?)*$", "[\\s.]+$", "-+$", "(?:.*=)(?:.*=)(?:.*=)x"];
  for (const pattern of slowPatterns) {
    const literal = { file: "", pattern, flags: "" };
    assert.ok(
      [...createHardInputs(literal, inputLength)].some((text) => measureMatchMs(literal, [text], maxMs) >= maxMs),
      pattern,
    );
  }
});
