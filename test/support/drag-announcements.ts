import type { Locator, Page } from "playwright-core";

/** Waits until screen readers announce this about an item that is dragged by keyboard; then it can be moved. */
export async function waitForAnnouncement(page: Page, text: RegExp): Promise<Locator> {
  const announcement = page.locator("[id^=DndLiveRegion]").filter({ hasText: text });
  await announcement.waitFor({ state: "attached" });
  // The first announcement can appear before the timer that makes dnd-kit listen to the keyboard, which has no delay.
  await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
  return announcement;
}

export const waitForPlace = (page: Page, place: string): Promise<Locator> =>
  waitForAnnouncement(page, new RegExp(`^${place}$`));
