import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import sharp from "sharp";
import { createBufferSource } from "#domain/ports/byte-source.ts";
import type { ImageLimit } from "#domain/model/platform-limits.ts";
import type { ExecutablePlan } from "#domain/ports/media.ts";
import { planRendition } from "#domain/model/renditions/plan-rendition.ts";
import { createImageConverter } from "#media/image-converter.ts";
import {
  assertClean,
  assertLooksAlike,
  createCorpusJpeg,
  createImageCorpus,
  type CorpusFile,
} from "../support/image-corpus.ts";
import { createImageRequest } from "../support/image-request.ts";
import { createNoise } from "../support/samples.ts";
import { waitUntil } from "../support/wait-until.ts";

const converter = createImageConverter({ timeoutMs: 120_000 });
const inspect = (bytes: Uint8Array) =>
  converter.inspectImage(createImageRequest(randomUUID()), createBufferSource(bytes));
const render = (bytes: Uint8Array, plan: ExecutablePlan) =>
  converter.createRendition(createImageRequest(randomUUID()), createBufferSource(bytes), plan);

const jpegOnly: ImageLimit = { types: ["image/jpeg"], maxBytes: 8_000_000, minAspect: 0.8, maxAspect: 1.91 };
const common: ImageLimit = {
  types: ["image/jpeg", "image/png", "image/webp"],
  maxBytes: 1_000_000,
};
const generous: ImageLimit = {
  types: ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"],
  maxBytes: 16_000_000,
  animatedTypes: ["image/gif", "image/webp"],
};

const oddSizes = [
  [3, 5000],
  [5000, 3],
  [1080, 1920],
  [2, 2],
  [7, 7],
  [99, 101],
  [2000, 100],
] as const;
const [files, oddFiles] = await Promise.all([
  createImageCorpus({ hasLargeFiles: false }),
  Promise.all(oddSizes.map(([width, height]) => createCorpusJpeg(width, height))),
]);

async function convert({ bytes, mimeType }: Pick<CorpusFile, "bytes" | "mimeType">, limit: ImageLimit) {
  const traits = await inspect(bytes);
  assert.ok(traits && !("problem" in traits), JSON.stringify(traits));
  const plan = planRendition({ ...traits, mimeType, bytes: bytes.length }, limit);
  if (plan.kind === "as_is") return { content: bytes, plan };
  assert.ok(plan.kind !== "reject");
  const rendition = await render(bytes, plan);
  assert.ok(rendition && "content" in rendition, JSON.stringify(rendition));
  return { content: Buffer.from(rendition.content), plan };
}

for (const [name, limit] of Object.entries({ jpegOnly, common, generous }))
  test(`converts every awkward image to one within the limits "${name}", upright, in its colors and without metadata (U20)`, async () => {
    for (const file of [...files, ...oddFiles].filter(({ rejection }) => !rejection)) {
      const { content } = await convert(file, limit);
      const { format, width, height } = await sharp(content).metadata();
      const type = format === "heif" ? "image/avif" : `image/${format}`;
      assert.ok(limit.types.includes(type), `${file.name}: ${type}`);
      assert.ok(content.length <= (limit.maxBytes ?? 0), `${file.name}: ${content.length} bytes`);
      assert.ok((width - 1) / (height + 1) <= (limit.maxAspect ?? Infinity), `${file.name}: ${width} × ${height}`);
      assert.ok((width + 1) / Math.max(1, height - 1) >= (limit.minAspect ?? 0), `${file.name}: ${width} × ${height}`);
      await assertClean(content, file.name);
      const isPadded = Math.abs(width / height - file.dimensions.width / file.dimensions.height) > 0.02;
      if (!isPadded) await assertLooksAlike(file, content, file.name);
    }
  });

test("a rotated photo becomes upright, and a crop selects a part of the upright photo", async () => {
  // The left half is red as displayed.
  const upright = await sharp({ create: { width: 200, height: 100, channels: 3, background: "#00f" } })
    .composite([{ input: { create: { width: 100, height: 100, channels: 3, background: "#f00" } }, left: 0, top: 0 }])
    .png()
    .toBuffer();
  const rotated = await sharp(upright).rotate(-90).withMetadata({ orientation: 6 }).jpeg({ quality: 95 }).toBuffer();
  const traits = await inspect(rotated);
  assert.ok(traits && !("problem" in traits));
  assert.deepEqual([traits.width, traits.height, traits.canStripMetadata], [200, 100, false]);
  const limit = { types: ["image/jpeg"], maxAspect: 1 };
  for (const [x, channel] of [
    [0, 0],
    [1, 2],
  ] as const) {
    const plan = planRendition({ ...traits, mimeType: "image/jpeg", bytes: rotated.length }, limit, { x, y: 0.5 });
    assert.ok(plan.kind === "render");
    const rendition = await render(rotated, plan);
    assert.ok(rendition && "content" in rendition);
    const image = sharp(rendition.content);
    const [{ width, height }, { channels }] = [await image.metadata(), await image.stats()];
    assert.deepEqual([width, height], [100, 100]);
    assert.ok((channels[channel]?.mean ?? 0) > 240, JSON.stringify(channels.map(({ mean }) => mean)));
  }
});

test("transparent areas become white in a JPEG and stay transparent in a PNG; padding is white", async () => {
  const logo = await sharp({ create: { width: 100, height: 300, channels: 4, background: "#0000" } })
    .png()
    .toBuffer();
  const asJpeg = await convert({ bytes: logo, mimeType: "image/png" }, jpegOnly);
  const { channels, isOpaque } = await sharp(asJpeg.content).stats();
  assert.ok(isOpaque && channels.every(({ min }) => min > 250));
  const padded = await convert({ bytes: logo, mimeType: "image/png" }, { types: ["image/png"], minAspect: 1 });
  const stats = await sharp(padded.content).stats();
  assert.equal(stats.isOpaque, false);
  const photo = await sharp({ create: { width: 100, height: 300, channels: 3, background: "#000" } })
    .png()
    .toBuffer();
  const paddedPhoto = await convert({ bytes: photo, mimeType: "image/png" }, { types: ["image/png"], minAspect: 1 });
  const corner = await sharp(paddedPhoto.content).extract({ left: 0, top: 0, width: 50, height: 50 }).raw().toBuffer();
  assert.ok(corner.every((value) => value === 255));
});

test("a file that is too large is first compressed more, then scaled down", async () => {
  const noise = await createNoise(1500, 1000);
  const bytes = await sharp(noise.data, { raw: noise.info }).jpeg({ quality: 95 }).toBuffer();
  for (const [maxBytes, isScaled] of [
    [Math.floor(bytes.length * 0.45), false],
    [60_000, true],
  ] as const) {
    const { content } = await convert({ bytes, mimeType: "image/jpeg" }, { types: ["image/jpeg"], maxBytes });
    const { width, height } = await sharp(content).metadata();
    assert.ok(content.length <= maxBytes);
    assert.equal(width < 1500, isScaled, `${width} × ${height}`);
    assert.ok(Math.abs(width / height - 1.5) < 0.02);
  }
  const traits = { frames: 1, hasAlpha: false, hasMetadata: false, canStripMetadata: true, bytes: bytes.length };
  const tinyLimit = { types: ["image/jpeg"], maxBytes: 100 };
  const tinyPlan = planRendition({ ...traits, width: 1500, height: 1000, mimeType: "image/jpeg" }, tinyLimit);
  assert.ok(tinyPlan.kind === "render");
  assert.deepEqual(await render(bytes, tinyPlan), { problem: "too_large" });
});

test("keeps an animation that the platform accepts, and sends the first frame to other platforms", async () => {
  const animations = files.filter(({ frameCount, mimeType }) => frameCount > 1 && mimeType !== "image/png");
  assert.ok(animations.length > 0);
  for (const { name, bytes, mimeType, frameCount } of animations) {
    const animated = await convert({ bytes, mimeType }, { ...generous, animatedTypes: [mimeType] });
    assert.equal((await sharp(animated.content).metadata()).pages, frameCount, name);
    const still = await convert({ bytes, mimeType }, common);
    assert.ok(still.plan.kind === "render" && still.plan.changes.includes("animation"), name);
    assert.equal((await sharp(still.content).metadata()).pages ?? 1, 1, name);
  }
});

const createPlain = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: "#456" } });

test("converts a PNG of 50 MB (U14)", async () => {
  const image = sharp({ create: { width: 4200, height: 4000, channels: 3, background: "#456" } });
  const bytes = await image.png({ compressionLevel: 0 }).toBuffer();
  assert.ok(bytes.length > 50_000_000);
  const { content } = await convert({ bytes, mimeType: "image/png" }, jpegOnly);
  assert.equal((await sharp(content).metadata()).width, 4200);
});

test("an image that needs too much memory ends its process, and the same converter opens the next image (U14, U15)", async () => {
  // Interlaced, so that it is decoded as a whole.
  const large = await createPlain(6000).png({ progressive: true }).toBuffer();
  const small = await createPlain(10).png().toBuffer();
  const limited = createImageConverter({ maxProcesses: 1, maxMegabytes: 130 });
  assert.ok(await limited.inspectImage(createImageRequest("small"), createBufferSource(small)));
  assert.equal(await limited.inspectImage(createImageRequest("large"), createBufferSource(large)), undefined);
  assert.ok(await limited.inspectImage(createImageRequest("next"), createBufferSource(small)));
});

test("after a timeout, retries an image for publications but not for previews; after the third, it counts as unreadable (U14, U15)", async () => {
  const small = await createPlain(10).png().toBuffer();
  // Shorter than the start of a process: this tests the limit itself, not a slow image.
  const limited = createImageConverter({ maxProcesses: 1, timeoutMs: 1 });
  let reads = 0;
  const read = async () => {
    reads++;
    return small;
  };
  const inspectAs = (key: string, isUrgent: boolean) =>
    limited.inspectImage({ ...createImageRequest(key), imageKey: "image", isUrgent }, { bytes: small.length, read });
  assert.equal(await inspectAs("first plan", false), undefined);
  assert.equal(await inspectAs("second plan", false), undefined);
  assert.equal(reads, 1);
  assert.equal(await inspectAs("publication", true), undefined);
  assert.deepEqual(await inspectAs("another publication", true), { problem: "unreadable" });
  assert.equal(reads, 3);
});

/** The ids of the processes that the main thread of this process started. */
const listChildProcesses = (): string[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, "utf8").match(/\d+/g) ?? [];

test("the process that opens images ends when it is idle, and a new one opens the next image (U15)", async () => {
  const small = await createPlain(10).png().toBuffer();
  const shortIdle = createImageConverter({ maxProcesses: 1, idleMs: 500 });
  const startProcess = async (key: string): Promise<string> => {
    const processesBefore = new Set(listChildProcesses());
    assert.ok(await shortIdle.inspectImage(createImageRequest(key), createBufferSource(small)));
    const [started, ...others] = listChildProcesses().filter((id) => !processesBefore.has(id));
    assert.ok(started !== undefined && others.length === 0);
    return started;
  };
  const waitForExit = (id: string): Promise<void> =>
    waitUntil(() => !listChildProcesses().includes(id), { description: "the idle process has exited" });
  const first = await startProcess("a");
  await waitForExit(first);
  const second = await startProcess("b");
  assert.notEqual(second, first);
  await waitForExit(second);
});
