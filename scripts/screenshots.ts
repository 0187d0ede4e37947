import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContextOptions, Page } from "playwright-core";
import sharp from "sharp";
import { buildWeb } from "./build-web.ts";
import { createFullScenes } from "./screenshots/full-scenes.ts";
import { createHistoryScenes } from "./screenshots/history-scenes.ts";
import { createPreviewScenes } from "./screenshots/preview-scenes.ts";
import { createPublishingScenes } from "./screenshots/publishing-scenes.ts";
import { createShiftedClock, createSampleStudio } from "./screenshots/studio.ts";
import { createUploadScenes } from "./screenshots/upload-scenes.ts";
import { createWebScenes, type Scene } from "./screenshots/web-scenes.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { startWebFixture, type WebFixture } from "../test/support/web-fixture.ts";

/**
 * Takes a screenshot of every page in every state, from a running service with a sample studio:
 * `npm run screenshots -- <folder> [name …]`, for desktop, tablet and phone, light and dark.
 * `--docs` updates the screenshots in docs/images instead.
 */

const devices: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1440, height: 900 } },
  tablet: { viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const schemes = ["light", "dark"] as const;
/** The scenes in docs/images, with the names of their files there. */
const docsScenes: Record<string, string> = {
  post: "post",
  "upload-sending": "upload-sending",
  "publishing-calendar-month": "calendar",
};
const docsFolder = join(import.meta.dirname, "../docs/images");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { docs: { type: "boolean" } } });
const [folder, ...names] = values.docs ? [docsFolder, ...Object.keys(docsScenes)] : positionals;
if (folder === undefined) throw new Error("Name the target folder: npm run screenshots -- <folder>");
await mkdir(folder, { recursive: true });
await buildWeb();

const uploadFolder = createTempFolder();
const clock = createShiftedClock();
const fixture = await startWebFixture(clock, { RATE_LIMITS: "off" });
const sampleStudio = await createSampleStudio(fixture.service.deps, clock);
const scenes = [
  ...(await createWebScenes(fixture, sampleStudio)),
  ...(await createHistoryScenes(fixture)),
  ...(await createPublishingScenes(fixture)),
  ...(await createPreviewScenes(fixture)),
  ...(await createFullScenes(fixture)),
  ...(await createUploadScenes(fixture, clock, uploadFolder.path)),
];
const selectedScenes = scenes.filter(({ name }) => names.length === 0 || names.includes(name));
const shots = selectedScenes.flatMap((scene) =>
  (values.docs ? ["desktop"] : Object.keys(devices)).map((device) => ({ scene, device })),
);
const parallelShots = shots.filter(({ scene }) => !scene.isExclusive);
// Scenes mostly wait for their page, so four run at a time.
await Promise.all(
  [1, 2, 3, 4].map(async () => {
    for (let shot = parallelShots.shift(); shot; shot = parallelShots.shift())
      await takeScreenshot(fixture, shot.scene, shot.device, folder);
  }),
);
for (const { scene, device } of shots.filter((shot) => shot.scene.isExclusive))
  await takeScreenshot(fixture, scene, device, folder);
await fixture.close();
uploadFolder.remove();

async function takeScreenshot(
  { openContext }: WebFixture,
  scene: Scene,
  device: string,
  targetFolder: string,
): Promise<void> {
  const docsViewport = values.docs ? { viewport: { width: 1280, height: 1000 } } : {};
  const context = await openContext(scene.user, { ...devices[device], ...docsViewport, locale: "en-GB" });
  const page = await context.newPage();
  try {
    await scene.prepare(page);
    if (!values.docs) await fitViewport(page);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.waitForTimeout(250);
      const screenshot = await page.screenshot();
      const name = (values.docs ? docsScenes[scene.name] : undefined) ?? scene.name;
      const path = join(targetFolder, `${name}-${device}-${colorScheme}`);
      if (values.docs) await writeFile(`${path}.webp`, await sharp(screenshot).webp({ quality: 80 }).toBuffer());
      else await writeFile(`${path}.png`, screenshot);
    }
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${scene.name}, ${device}: ${error instanceof Error ? error.message : String(error)}\n`);
    await page.screenshot({ path: join(targetFolder, `${scene.name}-${device}-failed.png`) }).catch(() => {});
  } finally {
    await context.close();
  }
}

/**
 * Makes the viewport as high as the page. `fullPage` would turn off touch styles on a phone, and leave sticky bars and
 * backdrops in the middle of the image.
 */
async function fitViewport(page: Page): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  const [contentWidth, height] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]",
  );
  if (contentWidth > width) throw new Error(`the page is ${contentWidth} px wide`);
  await page.setViewportSize({ width, height });
  await page.evaluate("scrollTo(0, 0)");
  // Hidden lazy images never load. If there are any, the wait ends after five seconds, and its error is ignored.
  await page
    .waitForFunction("[...document.images].every(({ complete }) => complete)", undefined, { timeout: 5000 })
    .catch(() => {});
}
