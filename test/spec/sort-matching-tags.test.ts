import assert from "node:assert/strict";
import { test } from "node:test";
import { sortMatchingTags } from "../../web/src/posts/list/sort-matching-tags.ts";

test("tags that contain a searched word come first, then the one of the filter; the others keep their order (WEB-12)", () => {
  const tags = ["autumn", "boats", "café noir", "harbour"];
  assert.deepEqual(sortMatchingTags(tags, {}), tags);
  assert.deepEqual(sortMatchingTags(tags, { q: "fog Harb" }), ["harbour", "autumn", "boats", "café noir"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "CAFE" }), ["café noir", "autumn", "boats", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "fog" }), tags);
  assert.deepEqual(sortMatchingTags(tags, { tag: "boats" }), ["boats", "autumn", "café noir", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "harb", tag: "café noir" }), [
    "harbour",
    "café noir",
    "autumn",
    "boats",
  ]);
});
