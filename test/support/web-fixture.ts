import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { createSessions } from "#auth/sign-in.ts";
import { openDatabase } from "#db/open-database.ts";
import type { SignedInUser } from "#domain/caller.ts";
import type { Mailer } from "#domain/ports/mails.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { startDiskService } from "./asset-fixture.ts";
import { openChromium } from "./chromium.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "./engines.ts";
import { noIdentities } from "./platform-fixture.ts";
import type { RunningService } from "./service.ts";
import { waitUntil } from "./wait-until.ts";

/** The service with its web app, and a browser. */
export interface WebFixture {
  service: RunningService;
  browser: Browser;
  /** Opens a browser context, signed in if a user is passed. */
  openContext(user: SignedInUser | undefined, options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens an empty page in a browser context of its own. */
  newPage(user: SignedInUser | undefined, options?: BrowserContextOptions): Promise<Page>;
  /** Closes every context that was opened; for `afterEach`. */
  closeContexts(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a page and waits until it shows its heading and its data. */
export async function openLoadedPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("heading").first().waitFor();
  await waitForData(page);
}

/** Waits until a page that was just opened has loaded its data, which can move what is already shown. */
export async function waitForData(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await waitUntil(async () => (await page.getByText("Loading…").count()) === 0, { description: "the whole page" });
}

/** `env` overrides settings of a development instance. */
export async function startWebFixture(
  clock: Clock = systemClock,
  env: Record<string, string> = {},
  mailer?: Mailer,
): Promise<WebFixture> {
  const location = await createTemporaryDatabase("sqlite");
  const database = await openDatabase({ ...location, log: silentLog });
  const webFiles = await loadStaticFiles(join(import.meta.dirname, "../../web/dist"));
  const platforms = createPlatformSetups(
    {},
    () => Promise.reject(new Error("this test has no network access")),
    noIdentities,
  );
  const service = await startDiskService(
    { ...createDeps(database, clock), mailer },
    {
      webFiles,
      platforms,
      // On a fast machine, tests open more pages in a minute than the limit of 600 calls allows one user.
      env: { RATE_LIMITS: "off", ...env },
    },
  );
  const browser = await openChromium();
  const sessions = createSessions({ deps: service.deps, base: service.base });
  const openContext: WebFixture["openContext"] = async (signedInUser, options = {}) => {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    if (!signedInUser) return context;
    const [pair = ""] = (await sessions.start(signedInUser.user.id, undefined)).split(";", 1);
    const separator = pair.indexOf("=");
    await context.addCookies([{ name: pair.slice(0, separator), value: pair.slice(separator + 1), url: service.base }]);
    return context;
  };
  return {
    service,
    browser,
    openContext,
    newPage: async (signedInUser, options) => (await openContext(signedInUser, options)).newPage(),
    closeContexts: async () => void (await Promise.all(browser.contexts().map((context) => context.close()))),
    async close() {
      await browser.close();
      await service.close();
      await database.close();
      await location.remove();
    },
  };
}
