import type { Page, Request } from "playwright-core";
import { waitUntil } from "./wait-until.ts";

/** Waits until the browser has painted the page: before that, it ignores keys. */
export async function waitForPaint(page: Pick<Page, "evaluate">): Promise<void> {
  await page.evaluate("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))");
}

/** Resizes the window and waits until the page has handled it: `resize` and media queries come before a frame. */
export async function resizeWindow(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await waitForPaint(page);
}

/** Waits until the page needs no horizontal scrolling. Some parts adapt to a new width only after an event. */
export async function waitForFit(page: Page): Promise<void> {
  await waitUntil(async () => (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) === 0, {
    description: `the page fits into ${page.viewportSize()?.width} px`,
  });
}

/** Waits until the open menu has the focus, which it takes only after it has appeared. Then it handles keys. */
export const waitForMenu = (page: Page): Promise<void> =>
  page.locator("[role=menu]:focus, [role=menu] :focus").waitFor();

/** Chooses an item of an open menu by keyboard. */
export async function pressMenuItem(page: Page, role: "menuitem" | "menuitemradio", name: string): Promise<void> {
  await waitForMenu(page);
  await page.getByRole(role, { name }).press("Enter");
}

/** Points at the newest toast, so that no toast disappears while the test does something else. */
export async function holdToasts(page: Page): Promise<void> {
  const toasts = page.getByRole("region", { name: /^Notifications/ }).getByRole("listitem");
  await toasts.last().hover();
}

/** Makes the page fetch what it shows, as when the user returns to the tab, until `isDone`. */
const returnToTab = (page: Page, isDone: () => boolean): Promise<void> =>
  waitUntil(
    async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return isDone();
    },
    { description: "the page fetches what it shows" },
  );

/** Makes the page fetch a URL again; resolves when it has the response to a request that was sent since. */
export async function refetch(page: Page, url: RegExp): Promise<void> {
  let request: Request | undefined;
  const notice = (sentRequest: Request): void => {
    if (sentRequest.method() === "GET" && url.test(sentRequest.url())) request ??= sentRequest;
  };
  page.on("request", notice);
  await returnToTab(page, () => request !== undefined);
  page.off("request", notice);
  await request?.response();
}

/**
 * Holds the requests with which the page fetches this URL, until the returned function is called. Resolves after the
 * first one: then the page has the response to the previous one.
 */
export async function holdFetches(page: Page, url: string): Promise<() => void> {
  const hold = Promise.withResolvers<void>();
  let isHeld = false;
  await page.route(url, async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    isHeld = true;
    await hold.promise;
    return route.fallback();
  });
  await returnToTab(page, () => isHeld);
  return hold.resolve;
}

/** Holds these requests until `release`; `firstRequest` resolves when the first one arrives. */
export async function holdRequests(
  page: Page,
  url: string,
  method: string,
): Promise<{ firstRequest: Promise<void>; release(): void }> {
  const firstRequest = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    firstRequest.resolve();
    await hold.promise;
    return route.continue();
  });
  return { firstRequest: firstRequest.promise, release: () => hold.resolve() };
}
