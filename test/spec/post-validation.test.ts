import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssetDetail } from "#domain/assets/model/asset.ts";
import type { PlatformConnection } from "#domain/platforms/connection.ts";
import { countText, type PostLimits, type TextLimit } from "#domain/platforms/limits.ts";
import { findProblems, validatePost } from "#domain/platforms/validate-post.ts";
import { fakePlatforms } from "../support/platform-fixture.ts";

const limits: PostLimits = {
  text: { max: 10, unit: "graphemes" },
  title: { max: 5, unit: "utf16", isRequired: true },
  files: { min: 1, max: 3 },
  images: { max: 2, types: ["image/jpeg"], maxBytes: 1000, minAspect: 0.8, maxAspect: 1.91, minWidth: 100 },
  videos: { max: 1, types: ["video/mp4"], maxDurationMs: 60_000, minDurationMs: 3000 },
  allowsMixedKinds: false,
  altText: { maxLength: 5 },
  sources: [{ url: "https://platform.test/docs", readOn: "2026-11-15" }],
};

const asset = (given: Partial<AssetDetail> = {}): AssetDetail => ({
  id: "ast_1",
  postId: "pst_1",
  kind: "image",
  mimeType: "image/jpeg",
  filename: "a.jpg",
  bytes: 500,
  status: "ready",
  altText: "A cat",
  width: 200,
  height: 200,
  ...given,
});

const codes = (given: { title?: string; body?: string; assets?: AssetDetail[] }, by = limits): string[] =>
  findProblems(by, { title: "Title", body: "Text", assets: [asset()], ...given }).map(
    ({ level, code }) => `${level} ${code}`,
  );

test("a post within all bounds has no problem (PLATFORM-12)", () => assert.deepEqual(codes({}), []));

const cases: [string, Parameters<typeof codes>[0], string[]][] = [
  ["text too long", { body: "x".repeat(11) }, ["refused text_too_long"]],
  ["title too long", { title: "Longer" }, ["refused title_too_long"]],
  ["title missing", { title: " " }, ["refused title_missing"]],
  ["no file", { assets: [] }, ["refused files_missing"]],
  ["too many pictures", { assets: [asset(), asset(), asset()] }, ["refused too_many_pictures"]],
  [
    "too many files",
    { assets: [asset(), asset(), asset(), asset()] },
    ["refused too_many_files", "refused too_many_pictures"],
  ],
  ["type", { assets: [asset({ mimeType: "image/png" })] }, ["refused type_unsupported"]],
  ["size", { assets: [asset({ bytes: 1001 })] }, ["refused file_too_large"]],
  ["size not known", { assets: [asset({ bytes: null })] }, []],
  ["too wide", { assets: [asset({ width: 400 })] }, ["refused aspect_ratio"]],
  ["too tall", { assets: [asset({ height: 400 })] }, ["refused aspect_ratio"]],
  ["too small", { assets: [asset({ width: 90, height: 90 })] }, ["refused too_few_pixels"]],
  ["alt text missing", { assets: [asset({ altText: undefined })] }, ["warning alt_text_missing"]],
  ["alt text too long", { assets: [asset({ altText: "A longer one" })] }, ["warning alt_text_too_long"]],
  [
    "document",
    { assets: [asset({ kind: "document", mimeType: "application/pdf" })] },
    ["refused document_unsupported"],
  ],
  [
    "mixed",
    { assets: [asset(), asset({ kind: "video", mimeType: "video/mp4", durationMs: 5000 })] },
    ["refused mixed_media"],
  ],
  [
    "video too long",
    { assets: [asset({ kind: "video", mimeType: "video/mp4", durationMs: 60_001 })] },
    ["refused video_too_long"],
  ],
  [
    "video too short",
    { assets: [asset({ kind: "video", mimeType: "video/mp4", durationMs: 100 })] },
    ["refused video_too_short"],
  ],
];
for (const [name, given, expected] of cases)
  test(`${name} (PLATFORM-12)`, () => assert.deepEqual(codes(given), expected));

test("bounds that an instance may have set otherwise only warn (PLATFORM-12)", () => {
  assert.deepEqual(codes({ body: "x".repeat(11) }, { ...limits, variesByInstance: true }), ["warning text_too_long"]);
});

test("a problem with a file names it (PLATFORM-12)", () => {
  const [found] = findProblems(limits, { title: "Title", body: "", assets: [asset({ bytes: 2_000_000 })] });
  assert.deepEqual(found, {
    level: "refused",
    code: "file_too_large",
    message: "a.jpg is 2 MB; the platform allows up to 1 kB.",
    assetId: "ast_1",
  });
});

test("a character is what the platform takes for one (PLATFORM-12)", () => {
  const family = "👨‍👩‍👧";
  const length = (text: string, countedIn: TextLimit["unit"], linkLength?: number) =>
    countText(text, { max: 1, unit: countedIn, ...(linkLength === undefined ? {} : { linkLength }) });
  assert.deepEqual(
    (["graphemes", "codePoints", "utf16", "bytes", "weighted"] as const).map((unit) => length(family, unit)),
    [1, 5, 8, 18, 2],
  );
  assert.equal(length("é", "graphemes"), 1);
  assert.equal(length("日本語", "weighted"), 6);
  assert.equal(length("plain", "weighted"), 5);
  assert.equal(length("see https://example.com/a/very/long/address?with=things now", "graphemes", 23), 4 + 23 + 4);
});

test("a post is judged once a platform, and told for each account there (PLATFORM-12)", () => {
  let judged = 0;
  const facts = { ...fakePlatforms.find("somewhere")!, limits: { ...limits } };
  Object.defineProperty(facts.limits, "files", {
    get() {
      judged++;
      return limits.files;
    },
  });
  const platforms = { ...fakePlatforms, find: (id: string) => (id === "somewhere" ? facts : undefined) };
  const connections = Array.from({ length: 50 }, (_, i) => ({
    ...{ id: `plc_${i}`, studioId: "std_1", platform: i === 0 ? "gone" : "somewhere", instance: "" },
    account: { id: String(i), handle: null, name: null, avatarUrl: null, profileUrl: null },
    ...{ state: "connected", credential: "", generation: 1, expiresAt: null, connectedBy: null, connectedAt: 0 },
  })) as PlatformConnection[];
  const views = validatePost(platforms, connections, { title: "Longer", body: "", assets: [asset()] });
  assert.deepEqual([views.length, judged], [49, 1]);
  assert.deepEqual([views[48]?.account, views[48]?.problems[0]?.code], ["49", "title_too_long"]);
});
