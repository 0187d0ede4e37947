import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImageLimit } from "#domain/model/platform-limits.ts";
import { planRendition, type RenditionPlan, type SourceImage } from "#domain/model/renditions/plan-rendition.ts";
import { fc } from "../support/fuzz.ts";
import { isLongRun } from "../support/long-run.ts";

const runs = { numRuns: isLongRun ? 50_000 : 3000 };
const allTypes = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"] as const;

const side = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 12_000 }));
const image: fc.Arbitrary<SourceImage> = fc.record({
  mimeType: fc.constantFrom(...allTypes),
  bytes: fc.integer({ min: 1, max: 60_000_000 }),
  width: side,
  height: side,
  frames: fc.constantFrom(1, 1, 12),
  hasAlpha: fc.boolean(),
  hasMetadata: fc.boolean(),
  canStripMetadata: fc.boolean(),
});
const crop = fc.option(
  fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.double({ min: 0, max: 1, noNaN: true }) }),
  { nil: undefined },
);

/** Limits that at least one size meets: `witness`. Each limit may be absent. */
const limitWithWitness = fc
  .record({
    witness: fc.record({ width: side, height: side }),
    types: fc.subarray([...allTypes]),
    animatedTypes: fc.subarray([...allTypes]),
    maxBytes: fc.option(fc.integer({ min: 1000, max: 20_000_000 }), { nil: undefined }),
    factors: fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }), {
      minLength: 7,
      maxLength: 7,
    }),
  })
  .map(({ witness: { width, height }, types, animatedTypes, maxBytes, factors: [a, b, c, d, e, f, g] }) => ({
    witness: { width, height },
    limit: omitUndefined({
      types,
      animatedTypes,
      maxBytes,
      minWidth: a === undefined ? undefined : Math.max(1, Math.floor(width * a)),
      maxWidth: b === undefined ? undefined : Math.ceil(width / Math.max(b, 0.001)),
      minHeight: c === undefined ? undefined : Math.max(1, Math.floor(height * c)),
      maxHeight: d === undefined ? undefined : Math.ceil(height / Math.max(d, 0.001)),
      maxPixels: e === undefined ? undefined : Math.ceil((width * height) / Math.max(e, 0.001)),
      minAspect: f === undefined ? undefined : (width / height) * f,
      maxAspect: g === undefined ? undefined : width / height / Math.max(g, 0.001),
    }) as unknown as ImageLimit,
  }));

const omitUndefined = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

/** Whether a platform with this limit accepts the size. */
function acceptsSize(
  limit: ImageLimit,
  { width, height }: { width: number; height: number },
  aspectTolerance = 1e-5,
): boolean {
  if (limit.maxPixels !== undefined && width * height > limit.maxPixels) return false;
  if (limit.maxWidth !== undefined && width > limit.maxWidth) return false;
  if (limit.maxHeight !== undefined && height > limit.maxHeight) return false;
  if (limit.minWidth !== undefined && width < limit.minWidth) return false;
  if (limit.minHeight !== undefined && height < limit.minHeight) return false;
  const aspect = width / height;
  if (limit.minAspect !== undefined && aspect * (1 + aspectTolerance) < limit.minAspect) return false;
  return limit.maxAspect === undefined || aspect / (1 + aspectTolerance) <= limit.maxAspect;
}

type RenderPlan = Extract<RenditionPlan, { kind: "render" }>;

function forEachPlan(check: (source: SourceImage, limit: ImageLimit, plan: RenditionPlan) => void): void {
  fc.assert(
    fc.property(image, limitWithWitness, crop, (source, { limit }, position) =>
      check(source, limit, planRendition(source, limit, position)),
    ),
    runs,
  );
}

function forEachRender(check: (source: SourceImage, limit: ImageLimit, plan: RenderPlan) => void): void {
  let renders = 0;
  forEachPlan((source, limit, plan) => {
    if (plan.kind !== "render") return;
    renders++;
    check(source, limit, plan);
  });
  assert.ok(renders > runs.numRuns / 4, `only ${renders} plans render`);
}

test("every size that a plan tries is within the platform's limits", () => {
  forEachRender((_, limit, { layouts }) => {
    for (const { canvas } of layouts) assert.ok(acceptsSize(limit, canvas), JSON.stringify(canvas));
  });
});

test("every encoding of a plan has an accepted type and the platform's size limit", () => {
  forEachRender((_, limit, { encodings }) => {
    assert.ok(encodings.length > 0);
    for (const { type, maxBytes } of encodings) {
      assert.ok(limit.types.includes(type));
      assert.equal(maxBytes, limit.maxBytes);
    }
  });
});

test("an image is never enlarged, its region lies within the source, and the scaled image fits on the canvas", () => {
  forEachRender((source, _, { layouts }) => {
    for (const { region, scaled, canvas } of layouts) {
      assert.ok(region.left >= 0 && region.left + region.width <= source.width);
      assert.ok(region.top >= 0 && region.top + region.height <= source.height);
      assert.ok(scaled.width >= 1 && scaled.width <= Math.min(region.width, canvas.width));
      assert.ok(scaled.height >= 1 && scaled.height <= Math.min(region.height, canvas.height));
    }
  });
});

test("an original is sent only if the platform accepts its type, bytes, size and animation", () => {
  forEachPlan((source, limit, { kind }) => {
    if (kind !== "as_is" && kind !== "strip") return;
    assert.ok(source.canStripMetadata && limit.types.includes(source.mimeType));
    assert.ok(acceptsSize(limit, source, 0.0031));
    assert.ok(source.bytes <= (limit.maxBytes ?? Infinity));
    assert.ok(source.frames === 1 || limit.animatedTypes?.includes(source.mimeType));
    assert.equal(kind, source.hasMetadata ? "strip" : "as_is");
  });
});

test("rejects an image for its size only if the platform accepts no size that a rendition can have", () => {
  fc.assert(
    fc.property(image, limitWithWitness, crop, (source, { limit, witness }, position) => {
      assert.ok(acceptsSize(limit, witness));
      const plan = planRendition(source, { ...limit, types: ["image/jpeg"] }, position);
      if (witness.width * witness.height <= 36_000_000) assert.notEqual(plan.kind, "reject");
    }),
    runs,
  );
});

test("without a crop position the whole image is shown; with one, padding is added only to reach the minimum size", () => {
  fc.assert(
    fc.property(image, limitWithWitness, crop, (source, { limit }, position) => {
      const { minWidth: _, minHeight: __, ...limitWithoutMinimum } = limit;
      const plan = planRendition(source, limitWithoutMinimum, position);
      if (plan.kind !== "render") return;
      const [layout] = plan.layouts;
      assert.ok(layout);
      const { width, height } = layout.scaled;
      // A very small image can't be cropped to fit if adding or removing one pixel jumps from below the allowed aspect
      // ratios to above them.
      const { minAspect = 0, maxAspect = Infinity } = limit;
      const isTooSmall = maxAspect - minAspect <= 1 / height || 1 / minAspect - 1 / maxAspect <= 1 / width;
      if (position) assert.ok(!plan.changes.includes("pad") || isTooSmall, JSON.stringify(layout));
      else assert.deepEqual(layout.region, { left: 0, top: 0, width: source.width, height: source.height });
    }),
    runs,
  );
});

const photo: SourceImage = {
  ...{ mimeType: "image/jpeg", bytes: 4_000_000, width: 4000, height: 3000 },
  ...{ frames: 1, hasAlpha: false, hasMetadata: false, canStripMetadata: true },
};

const examples: [
  name: string,
  image: Partial<SourceImage>,
  limit: Partial<ImageLimit>,
  expected: { kind: string; type?: string; size?: string; changes?: string[] },
][] = [
  ["a photo that fits", {}, {}, { kind: "as_is" }],
  ["a photo with metadata", { hasMetadata: true }, {}, { kind: "strip" }],
  [
    "a rotated photo",
    { canStripMetadata: false },
    {},
    { kind: "render", type: "image/jpeg", size: "4000 3000", changes: [] },
  ],
  [
    "a photo with too many pixels",
    {},
    { maxPixels: 3_145_728 },
    { kind: "render", type: "image/jpeg", size: "2048 1536", changes: ["size"] },
  ],
  [
    "a PNG where only JPEG is accepted",
    { mimeType: "image/png", hasAlpha: true },
    {},
    { kind: "render", type: "image/jpeg", size: "4000 3000", changes: ["type", "alpha"] },
  ],
  [
    "a portrait that is too tall",
    { width: 1080, height: 1920 },
    { minAspect: 0.8 },
    { kind: "render", type: "image/jpeg", size: "1536 1920", changes: ["pad"] },
  ],
  [
    "a small image that is too wide",
    { width: 60, height: 30 },
    { maxAspect: 1.91 },
    { kind: "render", type: "image/jpeg", size: "60 32", changes: ["pad"] },
  ],
  ["1200 × 628 for 1.91:1", { width: 1200, height: 628 }, { maxAspect: 1.91 }, { kind: "as_is" }],
  [
    "1200 × 628 that is encoded again",
    { mimeType: "image/png", width: 1200, height: 628 },
    { maxAspect: 1.91 },
    { kind: "render", type: "image/jpeg", size: "1199 628", changes: ["type", "size"] },
  ],
  ["1 × 8000", { width: 1, height: 8000 }, { minAspect: 0.8 }, { kind: "render", size: "5366 6707" }],
  [
    "an animated GIF where animation is accepted",
    { mimeType: "image/gif", frames: 9 },
    { types: ["image/gif"], animatedTypes: ["image/gif"] },
    { kind: "as_is" },
  ],
  [
    "an animated GIF where animation is not accepted",
    { mimeType: "image/gif", frames: 9 },
    { types: ["image/gif", "image/png"] },
    { kind: "render", type: "image/png", changes: ["type", "animation"] },
  ],
  ["a HEIC photo", { mimeType: "image/heic" }, { types: ["image/jpeg", "image/heic"] }, { kind: "reject" }],
  ["a WebP where only GIF is accepted", { mimeType: "image/webp" }, { types: ["image/gif"] }, { kind: "reject" }],
];

for (const [name, overrides, limit, expected] of examples)
  test(`${name}: ${Object.values(expected).join(", ")}`, () => {
    const plan = planRendition({ ...photo, ...overrides }, { types: ["image/jpeg"], ...limit });
    assert.equal(plan.kind, expected.kind);
    if (plan.kind === "reject" && overrides.mimeType === "image/heic") assert.match(plan.reason, /export it as JPEG/);
    if (plan.kind !== "render") return;
    const { width, height } = plan.layouts[0]?.canvas ?? {};
    if (expected.type) assert.equal(plan.encodings[0]?.type, expected.type);
    if (expected.size) assert.equal(`${width} ${height}`, expected.size);
    if (expected.changes) assert.deepEqual(plan.changes, expected.changes);
  });

test("a crop position decides which part of the image is kept", () => {
  const limit = { types: ["image/jpeg"], maxAspect: 1 };
  const regions = [0, 0.5, 1].map((x) => {
    const plan = planRendition(photo, limit, { x, y: 0.5 });
    return plan.kind === "render" ? plan.layouts[0]?.region : undefined;
  });
  assert.deepEqual(
    regions.map((region) => region && [region.left, region.width, region.height]),
    [
      [0, 3000, 3000],
      [500, 3000, 3000],
      [1000, 3000, 3000],
    ],
  );
});
