import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mediumScreenQuery } from "../../web/src/ui/breakpoints.ts";

test("scripts and styles use the same width for the sidebar (WEB-12)", () => {
  const theme = readFileSync(join(import.meta.dirname, "../../web/src/theme.css"), "utf8");
  const [, width] = /--breakpoint-md: (\S+);/.exec(theme) ?? [];
  assert.equal(mediumScreenQuery, `(min-width: ${width})`);
});
