import assert from "node:assert/strict";
import { test } from "node:test";
import type { AssetDetail } from "#domain/assets/model/asset.ts";
import { countText, type TextLimit } from "#domain/platforms/limits.ts";
import { findProblems } from "#domain/platforms/validate-post.ts";
import { catalog } from "#connectors/catalog.ts";

const family = "👨‍👩‍👧‍👦";

test("text is as long as each platform says", () => {
  const expected: readonly [text: string, Partial<Record<TextLimit["unit"], number>>][] = [
    ["café", { codePoints: 4, utf16: 4, graphemes: 4, bytes: 5, emojiBytes: 4, weighted: 4 }],
    ["cafe\u0301", { codePoints: 5, graphemes: 4, bytes: 6, weighted: 4 }],
    ["日本語", { codePoints: 3, utf16: 3, graphemes: 3, bytes: 9, emojiBytes: 3, weighted: 6 }],
    ["🚀", { codePoints: 1, utf16: 2, graphemes: 1, bytes: 4, emojiBytes: 4, weighted: 2 }],
    [family, { codePoints: 7, utf16: 11, graphemes: 1, bytes: 25, emojiBytes: 25, weighted: 2 }],
    ["1️⃣ 2", { graphemes: 3, emojiBytes: 9, weighted: 4 }],
    ["", { codePoints: 0, utf16: 0, graphemes: 0, bytes: 0, emojiBytes: 0, weighted: 0 }],
  ];
  for (const [text, lengths] of expected)
    for (const [countedIn, length] of Object.entries(lengths))
      assert.equal(countText(text, { max: 1, unit: countedIn } as TextLimit), length, `${text} in ${countedIn}`);
});

test("a link counts as much as the platform says, and what follows it in the sentence beside it", () => {
  const limit: TextLimit = { max: 280, unit: "weighted", linkLength: 23 };
  assert.equal(countText("https://example.com", limit), 23);
  assert.equal(countText(`See https://example.com/${"long/".repeat(50)}page.`, limit), 4 + 23 + 1);
  assert.equal(countText("(https://a.example, http://b.example)", limit), 1 + 23 + 2 + 23 + 1);
});

const post = { title: "A title", body: "A text", assets: [] as AssetDetail[] };
const megabyte = 1_000_000;

const judged: readonly [platform: string, says: string, draft: Partial<typeof post>, codes: readonly string[]][] = [
  ["linkedin", "a text", {}, []],
  ["linkedin", "no text", { body: " " }, ["text_missing"]],
  ["linkedin", "21 pictures", { assets: times(21, picture()) }, ["too_many_pictures"]],
  ["linkedin", "a picture of 36 megapixels", { assets: [picture({ width: 8000, height: 4520 })] }, ["too_many_pixels"]],
  ["linkedin", "a picture with its slides", { assets: [picture(), slides()] }, ["mixed_media"]],
  ["linkedin", "slides of 101 MB", { assets: [slides({ bytes: 101 * megabyte })] }, ["file_too_large"]],
  ["x", "140 emoji", { body: family.repeat(140) }, []],
  ["x", "141 emoji", { body: family.repeat(141) }, ["text_too_long"]],
  ["x", "a JPEG of 6 MB", { assets: [picture({ bytes: 6 * megabyte })] }, ["file_too_large"]],
  ["x", "a GIF of 6 MB", { assets: [picture({ mimeType: "image/gif", bytes: 6 * megabyte })] }, []],
  ["x", "a video of 141 s", { assets: [film({ durationMs: 141_000 })] }, ["video_too_long"]],
  ["x", "slides", { assets: [slides()] }, ["document_unsupported"]],
  ["facebook", "a long text and many pictures", { body: "a".repeat(70_000), assets: times(20, picture()) }, []],
  ["facebook", "a picture and a video", { assets: [picture(), film()] }, ["mixed_media"]],
  ["instagram", "no file", {}, ["files_missing"]],
  ["instagram", "a PNG", { assets: [picture({ mimeType: "image/png" })] }, ["type_unsupported"]],
  ["instagram", "pictures of 4:5 and 1.91:1", { assets: [picture(), picture({ width: 1200, height: 628 })] }, []],
  ["instagram", "a picture of 9:16", { assets: [picture({ width: 1080, height: 1920 })] }, ["aspect_ratio"]],
  ["instagram", "a picture and a video", { assets: [picture(), film()] }, []],
  ["instagram", "a video of 2 s", { assets: [film({ durationMs: 2000 })] }, ["video_too_short"]],
  ["threads", "500 Japanese characters", { body: "語".repeat(500) }, []],
  ["threads", "126 emoji of 4 bytes", { body: "🚀".repeat(126) }, ["text_too_long"]],
  ["tiktok", "a video with 3,000 characters", { body: "a".repeat(3000), assets: [film()] }, ["text_too_long"]],
  ["tiktok", "a picture with 3,000 characters", { body: "a".repeat(3000), assets: [picture()] }, []],
  ["tiktok", "a picture with a long title", { title: "a".repeat(91), assets: [picture()] }, ["title_too_long"]],
  ["tiktok", "a video with a long title, which it has not", { title: "a".repeat(91), assets: [film()] }, []],
  ["youtube", "a video without a title", { title: "", assets: [film()] }, ["title_missing"]],
  ["youtube", "5,000 bytes and one", { body: `${"é".repeat(2500)}e`, assets: [film()] }, ["text_too_long"]],
  ["youtube", "a picture", { assets: [picture()] }, ["image_unsupported"]],
  ["pinterest", "6 pictures", { assets: times(6, picture()) }, ["too_many_files", "too_many_pictures"]],
  ["mastodon", "501 characters", { body: "a".repeat(501) }, ["text_too_long"]],
];

for (const [id, says, draft, codes] of judged) {
  test(`${id}: ${says} ${codes.length === 0 ? "passes" : `is ${codes.join(", ")}`}`, () => {
    const limits = catalog.find((one) => one.id === id)?.limits;
    assert.ok(limits);
    const problems = findProblems(limits, { ...post, ...draft });
    assert.deepEqual(
      problems.map(({ code }) => code),
      codes,
    );
    const level = limits.variesByInstance ? "warning" : "refused";
    for (const problem of problems) assert.equal(problem.level, level);
  });
}

test("a picture without alternative text is a warning where the platform takes one, and none where it does not", () => {
  for (const { id, limits } of catalog) {
    const bare = { ...post, assets: [picture({ altText: "" })] };
    const warned = findProblems(limits, bare).filter(({ code }) => code === "alt_text_missing");
    assert.deepEqual(
      warned.map(({ level }) => level),
      limits.altText ? ["warning"] : [],
      id,
    );
  }
});

function picture(given: Partial<AssetDetail> = {}): AssetDetail {
  return file({ kind: "image", mimeType: "image/jpeg", width: 1080, height: 1350, ...given });
}

function film(given: Partial<AssetDetail> = {}): AssetDetail {
  const shape = { width: 1080, height: 1920, durationMs: 30_000 };
  return file({ kind: "video", mimeType: "video/mp4", bytes: 20 * megabyte, ...shape, ...given });
}

function slides(given: Partial<AssetDetail> = {}): AssetDetail {
  return file({ kind: "document", mimeType: "application/pdf", filename: "slides.pdf", ...given });
}

function file(given: Partial<AssetDetail>): AssetDetail {
  return {
    id: "ast_1",
    postId: "pst_1",
    kind: "image",
    mimeType: "image/jpeg",
    filename: "a.jpg",
    bytes: megabyte,
    status: "ready",
    altText: "A picture",
    ...given,
  };
}

function times(count: number, asset: AssetDetail): AssetDetail[] {
  return Array.from({ length: count }, () => asset);
}
