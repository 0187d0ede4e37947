import assert from "node:assert/strict";
import { test } from "node:test";
import { labelClearButton } from "../../web/src/ui/describe-no-match.ts";

test("the button of an empty list names the search, or the filters if there are any (WEB-12)", () => {
  assert.equal(labelClearButton("fog", [undefined, undefined]), "Clear search");
  assert.equal(labelClearButton("fog", [undefined, "image"]), "Clear filters");
  assert.equal(labelClearButton(undefined, ["image"]), "Clear filters");
});
