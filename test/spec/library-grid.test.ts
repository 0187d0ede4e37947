import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { computeGridLayout, computeRowHeights } from "../../web/src/assets/grid-layout.ts";

describe("the layout of the library", () => {
  test("only rows of the grid with a tagged file have a line for tags (WEB-12)", () => {
    const layout = computeGridLayout("grid", { width: 390, rem: 16, isTouch: true });
    assert.equal(layout.columnCount, 2);
    assert.deepEqual(
      computeRowHeights(layout, 5, (index) => index === 3),
      [layout.rowStep, layout.rowStep + layout.tagsHeight, layout.rowStep],
    );
    assert.ok(layout.tagsHeight > 0);
  });
});
