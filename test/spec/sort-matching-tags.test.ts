import assert from "node:assert/strict";
import { test } from "node:test";
import { sortMatchingTags } from "../../web/src/posts/list/sort-matching-tags.ts";

test("the tags that contain a searched word come first, the others keep their order (WEB-12)", () => {
  const tags = ["autumn", "boats", "café noir", "harbour"];
  assert.deepEqual(sortMatchingTags(tags, undefined), tags);
  assert.deepEqual(sortMatchingTags(tags, "fog Harb"), ["harbour", "autumn", "boats", "café noir"]);
  assert.deepEqual(sortMatchingTags(tags, "CAFE"), ["café noir", "autumn", "boats", "harbour"]);
  assert.deepEqual(sortMatchingTags(tags, "fog"), tags);
});
