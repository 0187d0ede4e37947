import assert from "node:assert/strict";
import type { Locator } from "playwright-core";

/** Where an element is on the page, in pixels. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  right: number;
  bottom: number;
}

export async function getBox(element: Locator): Promise<Box> {
  const box = await element.boundingBox();
  assert.ok(box, `${String(element)} is visible`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

/** The boxes of all elements that the locator finds. */
export const getBoxes = async (elements: Locator): Promise<Box[]> =>
  Promise.all((await elements.all()).map((element) => getBox(element)));
