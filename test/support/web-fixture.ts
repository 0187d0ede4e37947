import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { createSessions } from "#auth/sign-in.ts";
import { openDatabase } from "#db/open-database.ts";
import type { SignedInUser } from "#domain/caller.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { startDiskService } from "./asset-fixture.ts";
import { openChromium } from "./chromium.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "./engines.ts";
import type { RunningService } from "./service.ts";

/** The service with its web app, and a browser in front of it. */
export interface WebFixture {
  service: RunningService;
  browser: Browser;
  /** A window of someone who is signed in. */
  openContext(person: SignedInUser | undefined, options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export async function startWebFixture(clock: Clock = systemClock): Promise<WebFixture> {
  const location = await createTemporaryDatabase("sqlite");
  const database = await openDatabase({ ...location, log: silentLog });
  const webFiles = await loadStaticFiles(join(import.meta.dirname, "../../web/dist"));
  const platforms = createPlatformSetups({}, () => Promise.reject(new Error("this test reaches nothing outside")));
  const service = await startDiskService(createDeps(database, clock), { webFiles, platforms });
  const browser = await openChromium();
  const sessions = createSessions({ deps: service.deps, base: service.base });
  return {
    service,
    browser,
    async openContext(person, options = {}) {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      context.setDefaultTimeout(20_000);
      if (!person) return context;
      const [pair = ""] = (await sessions.start(person.user.id, undefined)).split(";", 1);
      const equals = pair.indexOf("=");
      await context.addCookies([{ name: pair.slice(0, equals), value: pair.slice(equals + 1), url: service.base }]);
      return context;
    },
    async close() {
      await browser.close();
      await service.close();
      await database.close();
      await location.remove();
    },
  };
}
