import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getFirstCharacter } from "../../web/src/ui/first-character.ts";
import { formatRelativeTime } from "../../web/src/ui/format-relative-time.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const format = (seconds: number): string => formatRelativeTime(now + seconds * 1000, now);

describe("relative times", () => {
  test("are worded as the browser words them", () => {
    const browserFormat = new Intl.RelativeTimeFormat("en", { numeric: "always" });
    const units = [
      ["minute", 60, [1, 2, 59]],
      ["hour", 3600, [1, 2, 23]],
      ["day", 86_400, [1, 2, 13]],
      ["week", 604_800, [2, 4]],
      ["month", 2_592_000, [1, 2, 12]],
      ["year", 31_536_000, [1, 2, 30]],
    ] as const;
    for (const [unit, seconds, counts] of units)
      for (const count of counts)
        for (const sign of [1, -1])
          assert.equal(format(sign * count * seconds), browserFormat.format(sign * count, unit));
  });

  test("round to the nearest unit, and show nothing shorter than a minute", () => {
    assert.equal(format(0), "just now");
    assert.equal(format(-59), "just now");
    assert.equal(format(-100), "2 minutes ago");
    assert.equal(format(-80), "1 minute ago");
    assert.equal(format(5400), "in 2 hours");
    assert.equal(format(7 * 86_400), "in 7 days");
    assert.equal(format(-13.6 * 86_400), "2 weeks ago");
    assert.equal(format(-59.6 * 60), "1 hour ago");
  });
});

test("an avatar shows the first character of a name as users see it", () => {
  const names = { ada: "A", " grace": "G", é: "É", "e\u0301lan": "E\u0301", "👩‍💻 Kim": "👩‍💻", "7 Hills": "7", "": "" };
  for (const [name, character] of Object.entries(names)) assert.equal(getFirstCharacter(name), character);
});
