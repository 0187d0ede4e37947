import type { Page } from "playwright-core";
import { waitUntil } from "./wait-until.ts";

/** Resizes the window and waits until the page has handled it: `resize` and media queries come before a frame. */
export async function resizeWindow(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
}

/** Waits until the page does not scroll sideways: a busy page may still render for another width. */
export const waitUntilFits = (page: Page): Promise<void> =>
  waitUntil(async () => (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) === 0, {
    description: `no horizontal scrolling at ${page.viewportSize()?.width} px`,
  });
