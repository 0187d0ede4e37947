import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserContext } from "playwright-core";

/** Set by `npm test -- --slow-pages`. */
const areDelayed = process.env["TEST_SLOW_PAGES"] !== undefined;
const delayedShare = 0.25;
const maxDelayMs = 2500;

const pause = async (): Promise<void> => {
  if (Math.random() < delayedShare) await sleep(Math.random() * maxDelayMs);
};

/**
 * Delays some of the scripts and API requests of pages, and then some of the API's responses, so that they arrive in
 * another order than usual. A test that acts before its page is ready then fails without a busy machine.
 */
export async function delayRequests(context: BrowserContext): Promise<void> {
  if (!areDelayed) return;
  await context.route(/\/(api|assets)\//, async (route) => {
    await pause();
    const request = route.request();
    const { pathname } = new URL(request.url());
    // Playwright reads whole responses, but event streams never end.
    const isRead = request.method() === "GET" && pathname.startsWith("/api/") && !pathname.endsWith("/events");
    // The page may be closed meanwhile.
    if (!isRead) return route.fallback().catch(() => {});
    const response = await route.fetch({ maxRedirects: 0 }).catch(() => undefined);
    await pause();
    await (response ? route.fulfill({ response }) : route.abort()).catch(() => {});
  });
}
