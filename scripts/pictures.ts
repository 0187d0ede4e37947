import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContextOptions } from "playwright-core";
import sharp from "sharp";
import { buildWeb } from "./build-web.ts";
import { createMovedClock, fillStudio } from "./pictures/studio.ts";
import { uploadScenes } from "./pictures/upload-scenes.ts";
import { webScenes, type Scene } from "./pictures/web-scenes.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startWebBed, type WebBed } from "../test/support/web-bed.ts";

/**
 * Takes a picture of every page in every state, from a real service with a studio in it:
 * `npm run pictures -- <folder> [name …]`, desktop and phone, light and dark. With `--docs`, those the documents show.
 */

const looks: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
const schemes = ["light", "dark"] as const;
const inDocs = ["post", "upload-sending"];
const docs = join(import.meta.dirname, "../docs/pictures");

const { values, positionals } = parseArgs({ allowPositionals: true, options: { docs: { type: "boolean" } } });
const [folder, ...names] = values.docs ? [docs, ...inDocs] : positionals;
if (folder === undefined) throw new Error("Say where to: npm run pictures -- <folder>");
await mkdir(folder, { recursive: true });
await buildWeb();

const sent = temporaryFolder();
const clock = createMovedClock();
const bed = await startWebBed(clock);
const filled = await fillStudio(bed.service.deps, clock);
const scenes = [...(await webScenes(bed, filled)), ...(await uploadScenes(bed, clock, sent.path))];
const wanted = scenes.filter(({ name }) => names.length === 0 || names.includes(name));
const shots = wanted.flatMap((scene) =>
  (values.docs ? ["desktop"] : Object.keys(looks)).map((look) => ({ scene, look })),
);
const together = shots.filter(({ scene }) => !scene.alone);
// Most of a scene is waiting for the page, so a few are taken at a time.
await Promise.all(
  [1, 2, 3, 4].map(async () => {
    for (let shot = together.shift(); shot; shot = together.shift()) await take(bed, shot.scene, shot.look, folder);
  }),
);
for (const { scene, look } of shots.filter((shot) => shot.scene.alone)) await take(bed, scene, look, folder);
await bed.close();
sent.remove();

async function take({ open }: WebBed, scene: Scene, look: string, into: string): Promise<void> {
  const shown = values.docs ? { viewport: { width: 1280, height: 1000 } } : {};
  const context = await open(scene.person, { ...looks[look], ...shown, locale: "en-GB" });
  const page = await context.newPage();
  try {
    await scene.go(page);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.waitForTimeout(250);
      const picture = await page.screenshot({ fullPage: !values.docs });
      const path = join(into, `${scene.name}-${look}-${colorScheme}`);
      if (values.docs) await writeFile(`${path}.webp`, await sharp(picture).webp({ quality: 80 }).toBuffer());
      else await writeFile(`${path}.png`, picture);
    }
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${scene.name}, ${look}: ${error instanceof Error ? error.message : String(error)}\n`);
    await page.screenshot({ path: join(into, `${scene.name}-${look}-failed.png`) }).catch(() => {});
  } finally {
    await context.close();
  }
}
