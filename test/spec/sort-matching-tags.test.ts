import assert from "node:assert/strict";
import { test } from "node:test";
import { sortMatchingTags } from "../../web/src/posts/list/sort-matching-tags.ts";

test("the tag of the filter comes first, then those that contain a searched word; the others keep their order (WEB-12)", () => {
  const tags = ["autumn", "boats", "café noir", "harbour"];
  assert.deepEqual(sortMatchingTags(tags, {}), tags);
  assert.deepEqual(sortMatchingTags(tags, { q: "fog Harb" }), ["harbour", "autumn", "boats", "café noir"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "CAFE" }), ["café noir", "autumn", "boats", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "fog" }), tags);
  assert.deepEqual(sortMatchingTags(tags, { tag: "boats" }), ["boats", "autumn", "café noir", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, { q: "harb", tag: "café noir" }), [
    "café noir",
    "harbour",
    "autumn",
    "boats",
  ]);
});
