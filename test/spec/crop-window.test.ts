import assert from "node:assert/strict";
import { test } from "node:test";
import { planLayout } from "#domain/renditions/plan-layout.ts";
import { describePosition, dragWindow, getCropWindow, moveByKey } from "../../web/src/preview/crop-window.ts";
import { fc } from "../support/fuzz.ts";

const side = fc.integer({ min: 200, max: 5000 });
const fraction = fc.double({ min: 0, max: 1, noNaN: true });

test("the frame in the preview covers the part of the image that is sent", () => {
  fc.assert(
    fc.property(side, side, fraction, fraction, (width, height, x, y) => {
      const limit = { minAspect: 0.8, maxAspect: 1.91 };
      const layout = planLayout({ width, height }, limit, { crop: { x, y } });
      assert.ok(layout);
      const { region, canvas } = layout;
      const frame = getCropWindow({ width, height }, canvas, { x, y });
      const isClose = (pixels: number, expected: number): boolean => Math.abs(pixels - expected) <= 3;
      assert.ok(isClose(frame.left * width, region.left), "left");
      assert.ok(isClose(frame.top * height, region.top), "top");
      assert.ok(isClose(frame.width * width, region.width), "width");
      assert.ok(isClose(frame.height * height, region.height), "height");
    }),
  );
});

test("the frame follows the pointer and the keys, and stays inside the image", () => {
  const frame = getCropWindow({ width: 300, height: 100 }, { width: 150, height: 100 }, { x: 0.5, y: 0.5 });
  assert.deepEqual([frame.axis, frame.left, frame.width], ["x", 0.25, 0.5]);
  assert.deepEqual(dragWindow({ x: 0.5, y: 0.5 }, frame, { x: 0.125, y: 0.4 }), { x: 0.75, y: 0.5 });
  assert.deepEqual(dragWindow({ x: 0.5, y: 0.5 }, frame, { x: 9, y: 0 }), { x: 1, y: 0.5 });
  assert.deepEqual(moveByKey({ x: 0.99, y: 0.5 }, "x", "ArrowRight"), { x: 1, y: 0.5 });
  assert.deepEqual(moveByKey({ x: 0.5, y: 0.5 }, "y", "ArrowUp"), { x: 0.5, y: 0.48 });
  assert.equal(moveByKey({ x: 0.5, y: 0.5 }, "y", "Enter"), undefined);
  assert.equal(describePosition({ x: 0.25, y: 0 }, "x"), "25% from the left");
  assert.equal(describePosition({ x: 0.25, y: 0 }, "y"), "Top edge");
});
