import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { measureCpu } from "../support/cpu-time.ts";
import { fc } from "../support/fuzz.ts";
import sharp from "sharp";
import { checkContent, readMediaMetadata } from "#domain/steps/content/check-content.ts";
import { createMediaReader } from "#media/media-reader.ts";
import { createChunkedSource, declareType, runContentCheck } from "../support/content-check.ts";
import { createImageRequest } from "../support/image-request.ts";
import { isLongRun } from "../support/long-run.ts";
import { createMutatedVideos } from "../support/mutated-videos.ts";
import { rejectedContainers, createFilesOfEveryType, executables } from "../support/sample-files.ts";

const files = await createFilesOfEveryType();
const allFiles = Object.values({ ...files, ...rejectedContainers, ...executables });

const offset = fc.nat(8192);
const fileIndex = fc.nat(allFiles.length - 1);

/** What storage, networks and attackers do to a file. Offsets wrap around at its end. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant("flip" as const), at: offset, bit: fc.nat(7) }),
  fc.record({ kind: fc.constant("set" as const), at: offset, value: fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe, 0xff) }),
  fc.record({ kind: fc.constant("fill" as const), at: offset, length: fc.nat(64), value: fc.constantFrom(0, 0xff) }),
  fc.record({ kind: fc.constant("truncate" as const), at: offset }),
  fc.record({ kind: fc.constant("remove start" as const), at: fc.nat(64) }),
  fc.record({ kind: fc.constant("repeat" as const), at: offset, length: fc.nat(2000) }),
  fc.record({ kind: fc.constant("splice" as const), at: offset, other: fileIndex, from: offset, length: fc.nat(2000) }),
  fc.record({ kind: fc.constant("append" as const), other: fileIndex }),
  fc.record({ kind: fc.constant("prepend" as const), other: fileIndex }),
  fc.record({ kind: fc.constant("pad" as const), length: fc.constantFrom(1, 511, 64 * 1024, 70_000) }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function applyDamage(bytes: Buffer, change: Damage): Buffer {
  const at = "at" in change ? change.at % Math.max(1, bytes.length) : 0;
  switch (change.kind) {
    case "flip":
      if (bytes.length > 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << change.bit);
      return bytes;
    case "set":
      if (bytes.length > 0) bytes[at] = change.value;
      return bytes;
    case "fill":
      return bytes.fill(change.value, at, Math.min(bytes.length, at + change.length));
    case "truncate":
      return bytes.subarray(0, at);
    case "remove start":
      return bytes.subarray(at);
    case "repeat":
      return Buffer.concat([bytes.subarray(0, at + change.length), bytes.subarray(at)]);
    case "splice":
      return Buffer.concat([
        bytes.subarray(0, at),
        (allFiles[change.other] ?? bytes).subarray(change.from, change.from + change.length),
        bytes.subarray(at),
      ]);
    case "append":
      return Buffer.concat([bytes, allFiles[change.other] ?? bytes]);
    case "prepend":
      return Buffer.concat([allFiles[change.other] ?? bytes, bytes]);
    case "pad":
      return Buffer.concat([bytes, Buffer.alloc(change.length)]);
  }
}

const mutatedFile = fc
  .tuple(fileIndex, fc.array(damage, { minLength: 1, maxLength: 12 }))
  .map(([index, changes]) => changes.reduce(applyDamage, Buffer.from(allFiles[index] ?? [])));

test("checks mutated and spliced media within a second, with the same result for every upload method (U12, U15)", async (t) => {
  let slowest = 0;
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(mutatedFile, fc.constantFrom(...Object.keys(files)), async (bytes, declared) => {
      const { cpuMs: ms } = await measureCpu(1000, async () => {
        const result = await runContentCheck(bytes, declared);
        assert.ok(["ok", "type_mismatch", "too_large", "invalid_input"].includes(result), result);
        assert.equal(result === "invalid_input", bytes.length === 0);
        counts[result] = (counts[result] ?? 0) + 1;
      });
      slowest = Math.max(slowest, ms);
      assert.ok(ms <= 1000, `${ms} ms`);
    }),
    { numRuns: isLongRun ? 50_000 : 1_000 },
  );
  t.diagnostic(`${JSON.stringify(counts)}, at most ${slowest.toFixed(0)} ms of CPU`);
});

for (const [kind, runs] of [
  ["image", isLongRun ? 10_000 : 300],
  ["video", isLongRun ? 10_000 : 100],
] as const) {
  test(`a mutated ${kind} that passes the content check has valid metadata and a valid thumbnail, or none (U14, U15)`, async (t) => {
    const media = createMediaReader();
    const types = Object.keys(files).filter((type) => type.startsWith(`${kind}/`));
    let thumbnailCount = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), fc.array(damage, { maxLength: 5 }), async (declared, changes) => {
        const bytes = changes.reduce(applyDamage, Buffer.from(files[declared] ?? []));
        if ((await runContentCheck(bytes, declared)) !== "ok") return;
        const source = createChunkedSource(bytes);
        const type = declareType(declared);
        const metadata = await readMediaMetadata({ media }, source, type, await checkContent(source, type));
        for (const value of Object.values(metadata))
          assert.ok(value === null || Number.isInteger(value), String(value));
        const thumbnail = await media.createThumbnail(createImageRequest(randomUUID()), source);
        if (!thumbnail) return;
        thumbnailCount++;
        const { format, width, height, exif } = await sharp(thumbnail).metadata();
        assert.equal(format, "webp");
        assert.ok(width <= 512 && height <= 512 && exif === undefined);
      }),
      { numRuns: runs },
    );
    if (kind === "image") assert.ok(thumbnailCount > 0);
    t.diagnostic(`${thumbnailCount} thumbnails`);
  });
}

/** Collects garbage first, so that the result does not depend on when it was last collected. */
function measureHeap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test("reads the metadata of hostile videos with bounded time, memory and reads (U14, U15)", async (t) => {
  const media = createMediaReader();
  let slowest = 0;
  let maxReads = 0;
  const heapBefore = measureHeap();
  for (const { name, mimeType, bytes } of await createMutatedVideos()) {
    let reads = 0;
    const read = async (start: number, end: number) => {
      reads++;
      return bytes.subarray(start, end);
    };
    const { cpuMs: ms } = await measureCpu(500, async () => {
      reads = 0;
      const { width, height, durationMs } = await media.readVideoMetadata({ bytes: bytes.length, read }, mimeType);
      for (const side of [width, height])
        assert.ok(side === null || (Number.isInteger(side) && side > 0 && side <= 65_535), `${name}: ${side}`);
      assert.ok(durationMs === null || (Number.isSafeInteger(durationMs) && durationMs > 0), `${name}: ${durationMs}`);
    });
    assert.ok(ms <= 500, `${name}: ${ms} ms`);
    assert.ok(reads <= 16, `${name}: ${reads} reads`);
    slowest = Math.max(slowest, ms);
    maxReads = Math.max(maxReads, reads);
  }
  const growthMb = (measureHeap() - heapBefore) / 1024 ** 2;
  t.diagnostic(
    `at most ${slowest.toFixed(0)} ms of CPU and ${maxReads} reads; the heap grew by ${growthMb.toFixed(0)} MB`,
  );
  assert.ok(growthMb < 30, `${growthMb} MB`);
});
