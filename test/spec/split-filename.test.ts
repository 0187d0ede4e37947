import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { splitFilename } from "../../web/src/assets/split-filename.ts";

describe("splitting long file names", () => {
  for (const [start, end] of [
    // The end starts at a separator, and contains as much as fits.
    ["harbour_final_selected_2026-11", "-12_v12.jpg"],
    ["vase in the morning", " light.jpg"],
    ["catalogue_spring", "_2027.pages"],
    // Without a separator other than that of the type, the end is as long as possible, but starts with a whole number.
    ["summercampaignhe", "roimages.jpg"],
    ["photofromthe", "20261118.jpg"],
    ["photo1234567890123456", "x.jpg"],
    ["123456789012345678901234", ".jpg"],
    // Letters with combining marks and joined emoji are never cut.
    ["familie-im-garten", "-👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧-12.jpg"],
  ] as const)
    test(`splits ${start}${end} before ${end}`, () => assert.deepEqual(splitFilename(start + end), [start, end]));

  test("keeps short names, right-to-left names and numbers in one part", () => {
    assert.equal(splitFilename("123456789012345678901234"), undefined);
    assert.equal(splitFilename("paper-list-12.txt"), undefined);
    assert.equal(splitFilename("תמונות מהסטודיו בחורף 2026.jpg"), undefined);
  });
});
