import assert from "node:assert/strict";
import { test } from "node:test";
import { sortByTitle } from "../../web/src/layout/sort-by-title.ts";

const sortTitles = (titles: readonly string[], query: string) =>
  sortByTitle(
    titles.map((title) => ({ title })),
    query,
  ).map(({ title }) => title);

test("posts whose title matches come first, and others keep their order (POST-3)", () => {
  const titles = ["Boats", "Café by the sea", "Fog", "The CAFÉ"];
  assert.deepEqual(sortTitles(titles, "cafe"), ["Café by the sea", "The CAFÉ", "Boats", "Fog"]);
  assert.deepEqual(sortTitles(titles, "  Sea cafe "), ["Café by the sea", "The CAFÉ", "Boats", "Fog"]);
  assert.deepEqual(sortTitles(titles, "spring"), titles);
});
