import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { AssetDetail } from "#domain/model/asset.ts";
import { countText, type TextLimit } from "#portable/count-text.ts";
import { findProblems, validatePost } from "#domain/model/validation/validate-post.ts";
import { catalog } from "#connectors/catalog.ts";
import { instagram } from "#connectors/instagram/connect.ts";
import { x } from "#connectors/x/connect.ts";
import { instanceLimits } from "#connectors/mastodon/limits.ts";
import { mastodon } from "#connectors/mastodon/connect.ts";
import { applyInstanceLimits } from "#domain/model/platform-limits.ts";
import { bluesky } from "#connectors/bluesky/connect.ts";
import { threads } from "#connectors/threads/connect.ts";
import type { PlatformConnection } from "#domain/model/connection.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { findBlueskyFeatures } from "#portable/text-features.ts";
import { fakePlatforms } from "../support/platform-fixture.ts";

const familyEmoji = "👨‍👩‍👧‍👦";

test("counts the length of a text in the unit of each platform (PLATFORM-12)", () => {
  const expected: readonly [text: string, Partial<Record<TextLimit["unit"], number>>][] = [
    ["café", { codePoints: 4, utf16: 4, graphemes: 4, bytes: 5, emojiBytes: 4, weighted: 4 }],
    ["cafe\u0301", { codePoints: 5, graphemes: 4, bytes: 6, weighted: 4 }],
    ["日本語", { codePoints: 3, utf16: 3, graphemes: 3, bytes: 9, emojiBytes: 3, weighted: 6 }],
    ["🚀", { codePoints: 1, utf16: 2, graphemes: 1, bytes: 4, emojiBytes: 4, weighted: 2 }],
    [familyEmoji, { codePoints: 7, utf16: 11, graphemes: 1, bytes: 25, emojiBytes: 25, weighted: 2 }],
    ["👨‍👩‍👧", { graphemes: 1, codePoints: 5, utf16: 8, bytes: 18, weighted: 2 }],
    ["1️⃣ 2", { graphemes: 3, emojiBytes: 9, weighted: 4 }],
    ["", { codePoints: 0, utf16: 0, graphemes: 0, bytes: 0, emojiBytes: 0, weighted: 0 }],
  ];
  for (const [text, lengths] of expected)
    for (const [unit, length] of Object.entries(lengths))
      assert.equal(countText(text, { max: 1, unit } as TextLimit), length, `${text} in ${unit}`);
});

test("a link, without the punctuation after it, counts as the length that the platform sets", () => {
  const limit: TextLimit = { max: 280, unit: "weighted", linkLength: 23 };
  assert.equal(countText("https://example.com", limit), 23);
  assert.equal(countText(`See https://example.com/${"long/".repeat(50)}page.`, limit), 4 + 23 + 1);
  assert.equal(countText("(https://a.example, http://b.example)", limit), 1 + 23 + 2 + 23 + 1);
});

const post = { title: "A title", body: "A text", assets: [] as AssetDetail[] };
const megabyte = 1_000_000;

const cases: readonly [platform: string, description: string, draft: Partial<typeof post>, codes: readonly string[]][] =
  [
    ["linkedin", "a text", {}, []],
    ["linkedin", "no text", { body: " " }, ["text_missing"]],
    ["linkedin", "21 images", { assets: repeatAsset(21, createImage()) }, ["too_many_pictures"]],
    [
      "linkedin",
      "an image of 36 megapixels",
      { assets: [createImage({ width: 8000, height: 4520 })] },
      ["image_converted"],
    ],
    ["linkedin", "an image with slides", { assets: [createImage(), createSlides()] }, ["mixed_media"]],
    ["linkedin", "slides of 101 MB", { assets: [createSlides({ bytes: 101 * megabyte })] }, ["file_too_large"]],
    ["x", "140 emoji", { body: familyEmoji.repeat(140) }, []],
    ["x", "141 emoji", { body: familyEmoji.repeat(141) }, ["text_too_long"]],
    ["x", "a JPEG of 6 MB", { assets: [createImage({ bytes: 6 * megabyte })] }, ["image_converted"]],
    ["x", "a GIF of 6 MB", { assets: [createImage({ mimeType: "image/gif", bytes: 6 * megabyte })] }, []],
    ["x", "a video of 141 s", { assets: [createVideo({ durationMs: 141_000 })] }, ["video_too_long"]],
    ["x", "slides", { assets: [createSlides()] }, ["document_unsupported"]],
    [
      "facebook",
      "a long text and many images",
      { body: "a".repeat(63_206), assets: repeatAsset(20, createImage()) },
      [],
    ],
    ["facebook", "63,207 characters", { body: "a".repeat(63_207) }, ["text_too_long"]],
    ["facebook", "an image without text", { body: "", assets: [createImage()] }, ["text_missing"]],
    ["facebook", "a video without text", { body: "", assets: [createVideo()] }, []],
    ["facebook", "an image and a video", { assets: [createImage(), createVideo()] }, ["mixed_media"]],
    ["instagram", "no file", {}, ["files_missing"]],
    ["instagram", "a PNG", { assets: [createImage({ mimeType: "image/png" })] }, ["image_converted"]],
    [
      "instagram",
      "images of 4:5 and 1.91:1",
      { assets: [createImage(), createImage({ width: 1200, height: 628 })] },
      [],
    ],
    ["instagram", "an image of 9:16", { assets: [createImage({ width: 1080, height: 1920 })] }, ["image_converted"]],
    ["instagram", "an image and a video", { assets: [createImage(), createVideo()] }, []],
    ["instagram", "11 images", { assets: repeatAsset(11, createImage()) }, ["too_many_files"]],
    ["instagram", "a video of 2 s", { assets: [createVideo({ durationMs: 2000 })] }, ["video_too_short"]],
    ["threads", "500 Japanese characters", { body: "語".repeat(500) }, []],
    ["threads", "126 emoji of 4 bytes", { body: "🚀".repeat(126) }, ["text_too_long"]],
    ["tiktok", "a video with 3,000 characters", { body: "a".repeat(3000), assets: [createVideo()] }, ["text_too_long"]],
    ["tiktok", "an image with 3,000 characters", { body: "a".repeat(3000), assets: [createImage()] }, []],
    ["tiktok", "an image with a long title", { title: "a".repeat(91), assets: [createImage()] }, ["title_too_long"]],
    ["tiktok", "a video with a long title that is not sent", { title: "a".repeat(91), assets: [createVideo()] }, []],
    ["youtube", "a video without a title", { title: "", assets: [createVideo()] }, ["title_missing"]],
    ["youtube", "5,001 bytes", { body: `${"é".repeat(2500)}e`, assets: [createVideo()] }, ["text_too_long"]],
    ["youtube", "an image without a video", { assets: [createImage()] }, ["files_missing"]],
    ["youtube", "a video with a thumbnail", { assets: [createVideo(), createImage()] }, []],
    ["youtube", "angle brackets", { title: "a < b", assets: [createVideo()] }, ["title_invalid"]],
    ["pinterest", "6 images", { assets: repeatAsset(6, createImage()) }, ["too_many_files"]],
    ["mastodon", "501 characters", { body: "a".repeat(501) }, ["text_too_long"]],
  ];

for (const [id, description, draft, codes] of cases) {
  test(`${id}: ${description} ${codes.length === 0 ? "passes" : `is reported as ${codes.join(", ")}`}`, () => {
    const limits = catalog.find((platform) => platform.id === id)?.limits;
    assert.ok(limits);
    const problems = findProblems(limits, { ...post, ...draft });
    assert.deepEqual(
      problems.map(({ code }) => code),
      codes,
    );
    const level = limits.variesByInstance ? "warning" : "rejected";
    for (const problem of problems)
      assert.equal(problem.level, problem.code === "image_converted" ? "converted" : level);
  });
}

test("counts the hashtags and mentions of a text for Instagram (PLATFORM-12)", () => {
  const repeat = (count: number, word: string): string => Array.from({ length: count }, () => word).join(" ");
  const findCodes = (body: string): string[] =>
    findProblems(instagram.limits, { ...post, body, assets: [createImage()] }).map(({ code }) => code);
  assert.deepEqual(findCodes(`${repeat(30, "#größe")} ${repeat(20, "@ada.l")}`), []);
  assert.deepEqual(findCodes(repeat(31, "#größe")), ["too_many_hashtags"]);
  assert.deepEqual(findCodes(repeat(21, "@ada.l")), ["too_many_mentions"]);
  assert.deepEqual(findCodes(`${repeat(31, "#1")} ${repeat(21, "ada@example.com")} ${repeat(31, "a#b")}`), []);
});

test("X receives only the first frame of a GIF next to other images; a GIF alone may be animated and larger", () => {
  const gif = createImage({ mimeType: "image/gif", bytes: 12_000_000 });
  const photo = createImage({ id: "ast_2" });
  const traits = { width: 800, height: 600, frames: 1, hasAlpha: false, hasMetadata: false, canStripMetadata: true };
  const inspections = new Map([
    [gif.id, { ...traits, frames: 20 }],
    [photo.id, traits],
  ]);
  const findCodes = (assets: AssetDetail[]): string[] =>
    findProblems(x.limits, { ...post, assets, inspections }).map(({ level, code }) => `${level} ${code}`);
  assert.deepEqual(findCodes([gif]), []);
  assert.deepEqual(findCodes([gif, photo]), ["converted image_converted"]);
});

test("warns about an image without alt text only on platforms that support alt text", () => {
  for (const { id, limits } of catalog) {
    const postWithoutAltText = { ...post, assets: [createImage({ altText: "" })] };
    const warnings = findProblems(limits, postWithoutAltText).filter(({ code }) => code === "alt_text_missing");
    assert.deepEqual(
      warnings.map(({ level }) => level),
      limits.altText ? ["warning"] : [],
      id,
    );
  }
});

function createImage(overrides: Partial<AssetDetail> = {}): AssetDetail {
  return createAsset({ kind: "image", mimeType: "image/jpeg", width: 1080, height: 1350, ...overrides });
}

function createVideo(overrides: Partial<AssetDetail> = {}): AssetDetail {
  const metadata = { width: 1080, height: 1920, durationMs: 30_000 };
  return createAsset({ kind: "video", mimeType: "video/mp4", bytes: 20 * megabyte, ...metadata, ...overrides });
}

function createSlides(overrides: Partial<AssetDetail> = {}): AssetDetail {
  return createAsset({ kind: "document", mimeType: "application/pdf", filename: "slides.pdf", ...overrides });
}

function createAsset(overrides: Partial<AssetDetail>): AssetDetail {
  return {
    id: "ast_1",
    postId: "pst_1",
    kind: "image",
    mimeType: "image/jpeg",
    filename: "a.jpg",
    bytes: megabyte,
    status: "ready",
    altText: "A vase",
    ...overrides,
  };
}

function repeatAsset(count: number, asset: AssetDetail): AssetDetail[] {
  return Array.from({ length: count }, () => asset);
}

const { text: limit } = mastodon.limits;

test("counts characters as Mastodon does: links as 23, mentions without their server (PLATFORM-12)", () => {
  assert.ok(limit);
  const expectedLengths: [text: string, length: number][] = [
    ["Hello", 5],
    ["@ada", 4],
    ["@ada@example.com", 4],
    ["(@ada.lovelace@social.example.com)", 15],
    ["@ada@example.com, @grace@navy.example!", 13],
    ["@ada@münchen.example", 4],
    // Neither is a mention.
    ["ada@example.com", 15],
    ["x=@ada@example.com", 18],
    ["https://example.com/@ada@social.example/1 and text", 23 + 9],
    ["👩‍👩‍👧‍👦é️ שלום", 7],
  ];
  assert.deepEqual(
    expectedLengths.map(([text]) => [text, countText(text, limit)]),
    expectedLengths,
  );
});

test("a hostile text of mentions is counted in linear time (PLATFORM-12)", () => {
  assert.ok(limit);
  for (const text of ["@a".repeat(50_000), `@${"a.".repeat(50_000)}`, `@a@${"b-".repeat(50_000)}`]) {
    const startedAt = process.cpuUsage();
    countText(text, limit);
    assert.ok(process.cpuUsage(startedAt).user < 2_000_000, text.slice(0, 10));
  }
});

test("replaces invalid limits of an instance with Mastodon's own, and caps very large ones (PLATFORM-12)", () => {
  for (const invalidValue of [-1, 0, 1.5, "5000", null, [], {}, NaN, Infinity, 2 ** 60]) {
    const statuses = {
      max_characters: invalidValue,
      characters_reserved_per_url: invalidValue,
      max_media_attachments: invalidValue,
    };
    const statedLimits = instanceLimits.parse({ configuration: { statuses, media_attachments: "none" } });
    assert.deepEqual(statedLimits, {}, JSON.stringify(invalidValue));
    assert.deepEqual(applyInstanceLimits(mastodon.limits, statedLimits).text, limit);
  }
  assert.deepEqual(instanceLimits.parse({ configuration: null }), {});
  const huge = { max_characters: 1e15, characters_reserved_per_url: 1e15, max_media_attachments: 1e15 };
  assert.deepEqual(instanceLimits.parse({ configuration: { statuses: huge } }), {
    maxCharacters: 1_000_000,
    linkLength: 1000,
    maxFiles: 100,
  });
});

const longTexts = ["word ".repeat(1980), "नि".repeat(4950), "👩‍👩‍👧‍👦".repeat(900), "日".repeat(100_000)];
const segmentingLimits = [bluesky, mastodon, threads, x].flatMap(({ limits }) => limits.text ?? []);

test("segments a long text only until it exceeds the limit by 1,000 characters (F7)", (t) => {
  const segmented = countSegmented(t);
  for (const text of longTexts)
    for (const limit of segmentingLimits) {
      segmented.graphemes = 0;
      const length = countText(text, limit);
      assert.ok(length > limit.max, `${length}`);
      assert.ok(segmented.graphemes <= limit.max + 1002, `${segmented.graphemes} of ${text.slice(0, 5)}`);
    }
});

test("the length is exact up to 1,000 characters above the limit, and above that is never less (F7)", () => {
  const limit: TextLimit = { unit: "graphemes", max: 300 };
  const segmenter = new Intl.Segmenter("en");
  for (const part of ["a", "é", "e\u0301", "नि", "👩‍👩‍👧‍👦", "日", "\r\n", "🇫🇷", "각"])
    for (const repetitions of [1, 299, 300, 301, 1299, 1302, 3000]) {
      const text = `${part.repeat(repetitions)} ${part}`;
      const exactLength = Array.from(segmenter.segment(text)).length;
      const length = countText(text, limit);
      if (exactLength <= 1300) assert.equal(length, exactLength, text.slice(0, 5));
      else assert.ok(length >= exactLength, text.slice(0, 5));
    }
});

const variantCount = 50;

/** A post with a long text for each of many accounts. */
function createLongPost(): { connections: PlatformConnection[]; post: Parameters<typeof validatePost>[2] } {
  const connections = Array.from(
    { length: variantCount },
    (_, i) => ({ id: `plc_${i}`, platform: "somewhere", account: { id: `${i}`, name: null } }) as PlatformConnection,
  );
  const variants = connections.map(({ id }) => ({ connectionId: id, body: `${id} ${"word ".repeat(1978)}` }));
  return { connections, post: { id: "pst_1", revision: 1, title: "Title", body: "Text", assets: [], variants } };
}

const platforms = {
  ...fakePlatforms,
  find: () => ({ ...fakePlatforms.find("somewhere")!, limits: mastodon.limits }),
};

test("20 reads at once of a post with 50 long variants count each text once, and later ones none (F7)", async (t) => {
  const { connections, post } = createLongPost();
  const segmented = countSegmented(t);
  const deps = { platforms, textChecks: createTextChecks() };
  const reads = await Promise.all(Array.from({ length: 20 }, () => validatePost(deps, connections, post)));
  assert.equal(segmented.texts, variantCount);
  for (const read of reads) assert.deepEqual(read, reads[0]);
  assert.deepEqual(
    reads[0]?.map(({ text }) => text?.length),
    post.variants?.map(({ body = "" }) => body.length),
  );

  await validatePost(deps, connections, post);
  assert.equal(segmented.texts, variantCount, "a later read");
  const variants = post.variants?.map((variant) => ({ ...variant, body: `${variant.body}!` })) ?? [];
  const [validation] = await validatePost(deps, connections, { ...post, revision: 2, variants });
  assert.equal(segmented.texts, 2 * variantCount, "a new revision");
  assert.equal(validation?.text?.length, variants[0]?.body.length);
});

test("other requests run after each long text that is counted (F7)", async (t) => {
  const { connections, post } = createLongPost();
  const segmented = countSegmented(t);
  const textsPerIteration: number[] = [];
  let isDone = false;
  const countIteration = (): void => {
    textsPerIteration.push(segmented.texts);
    segmented.texts = 0;
    if (!isDone) setImmediate(countIteration);
  };
  setImmediate(countIteration);
  const deps = { platforms, textChecks: createTextChecks() };
  const posts = Array.from({ length: 5 }, (_, i) => ({ ...post, id: `pst_${i}` }));
  await Promise.all(posts.map((each) => validatePost(deps, connections, each)));
  isDone = true;
  assert.ok(Math.max(...textsPerIteration) <= 1, textsPerIteration.join(" "));
});

test("finds short tags without segmenting them (F7)", (t) => {
  const segmented = countSegmented(t);
  assert.equal(findBlueskyFeatures("#a ".repeat(3300)).length, 3300);
  assert.equal(segmented.texts, 0);
  assert.deepEqual(findBlueskyFeatures(`#${"a".repeat(65)} #${"👩‍👩‍👧‍👦".repeat(10)}`).length, 1);
});

/** Counts the texts that are segmented, and the graphemes that are read from them. */
function countSegmented(t: TestContext): { texts: number; graphemes: number } {
  const counts = { texts: 0, graphemes: 0 };
  const { segment } = Intl.Segmenter.prototype;
  t.mock.method(Intl.Segmenter.prototype, "segment", function* (this: Intl.Segmenter, text: string) {
    counts.texts++;
    for (const data of segment.call(this, text)) {
      counts.graphemes++;
      yield data;
    }
  } as unknown as typeof segment);
  return counts;
}
