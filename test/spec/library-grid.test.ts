import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { computeGridLayout, computeRowHeights } from "../../web/src/assets/grid-layout.ts";

describe("the layout of the library", () => {
  test("only rows of the grid with a tagged file have a line for tags (WEB-12)", () => {
    const layout = computeGridLayout("grid", { width: 390, rem: 16, isTouch: true, hasTagColumn: false });
    assert.equal(layout.columnCount, 2);
    assert.deepEqual(
      computeRowHeights(layout, 5, (index) => index === 3),
      [layout.rowStep, layout.rowStep + layout.tagsHeight, layout.rowStep],
    );
    assert.ok(layout.tagsHeight > 0);
  });

  test("a row of the list has a line for tags only where there is no column for them (WEB-12)", () => {
    for (const hasTagColumn of [true, false]) {
      const layout = computeGridLayout("list", { width: 390, rem: 16, isTouch: false, hasTagColumn });
      assert.equal(layout.tagsHeight > 0, !hasTagColumn);
    }
  });
});
