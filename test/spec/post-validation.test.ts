import assert from "node:assert/strict";
import { test } from "node:test";
import { catalog } from "#connectors/catalog.ts";
import { x } from "#connectors/x/connect.ts";
import type { AssetDetail } from "#domain/model/asset.ts";
import type { PlatformConnection } from "#domain/model/connection.ts";
import type { PostLimits } from "#domain/model/platform-limits.ts";
import { countText, type TextLimit } from "#portable/count-text.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { findProblems, validatePost } from "#domain/model/validation/validate-post.ts";
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

const createAsset = (overrides: Partial<AssetDetail> = {}): AssetDetail => ({
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
  ...overrides,
});

type Draft = Parameters<typeof findProblems>[1];

const findCodes = (draft: Partial<Draft>, postLimits = limits): string[] =>
  findProblems(postLimits, { title: "Title", body: "Text", assets: [createAsset()], ...draft }).map(
    ({ level, code }) => `${level} ${code}`,
  );

test("checks the alt text of a video only if the platform receives it (PLATFORM-12)", () => {
  const video = { kind: "video", mimeType: "video/mp4", durationMs: 5000 } as const;
  const assets = [createAsset({ ...video, altText: "A longer one" })];
  const sending = { ...limits, altText: { maxLength: 5, isSentForVideos: true } };
  assert.deepEqual(findCodes({ assets }), []);
  assert.deepEqual(findCodes({ assets }, sending), ["rejected alt_text_too_long"]);
  assert.deepEqual(findCodes({ assets: [createAsset({ ...video, altText: undefined })] }, sending), []);
  assert.deepEqual(findCodes({ assets }, { ...sending, variesByInstance: true }), ["warning alt_text_too_long"]);
});

test("says how many files a post needs", () => {
  const findMessages = (min: number) =>
    findProblems({ ...limits, files: { min } }, { title: "Title", body: "Text", assets: [] }).map(
      ({ message }) => message,
    );
  assert.deepEqual(findMessages(1), ["Add at least 1 file."]);
  assert.deepEqual(findMessages(2), ["Add at least 2 files."]);
});

test("says how long a text may be, and that a platform counts it differently (PLATFORM-12)", () => {
  const findMessages = (body: string, text: TextLimit) =>
    findProblems({ text, allowsMixedKinds: true, sources: limits.sources }, { title: "Title", body, assets: [] }).map(
      ({ message }) => message,
    );
  assert.deepEqual(findMessages("x".repeat(11), { max: 10, unit: "graphemes" }), [
    "The text has 11 characters; the platform allows up to 10.",
  ]);
  assert.deepEqual(findMessages("x".repeat(2674), { max: 2200, unit: "graphemes" }), [
    "The text has 2,674 characters; the platform allows up to 2,200.",
  ]);
  assert.deepEqual(findMessages("🚀".repeat(6), { max: 10, unit: "weighted" }), [
    "The text counts as 12 characters on this platform, which allows up to 10.",
  ]);
  assert.deepEqual(findMessages("é".repeat(10), { max: 10, unit: "graphemes", maxBytes: 15 }), [
    "The text has 20 bytes in UTF-8; the platform allows up to 15.",
  ]);
});

test("says that a server may reject what most servers don't allow (PLATFORM-12)", () => {
  const findMessages = (body: string, unit: TextLimit["unit"], count: number) =>
    findProblems(
      { ...limits, text: { max: 10, unit }, files: {}, variesByInstance: true },
      { title: "Title", body, assets: Array.from({ length: count }, () => createAsset()) },
    ).map(({ message }) => message);
  const limit = "; most servers allow up to 10, so this account’s server may reject the post.";
  assert.deepEqual(findMessages("x".repeat(11), "graphemes", 1), [`The text has 11 characters${limit}`]);
  assert.deepEqual(findMessages("🚀".repeat(6), "weighted", 1), [
    `The text counts as 12 characters on this platform${limit}`,
  ]);
  assert.deepEqual(findMessages("Text", "graphemes", 3), [
    "The post has 3 images; most servers allow up to 2, so this account’s server may reject the post.",
  ]);
});

test("a post within all limits has no problem (PLATFORM-12)", () => assert.deepEqual(findCodes({}), []));

const cases: [name: string, draft: Parameters<typeof findCodes>[0], expected: string[]][] = [
  ["text too long", { body: "x".repeat(11) }, ["rejected text_too_long"]],
  ["title too long", { title: "Longer" }, ["rejected title_too_long"]],
  ["title missing", { title: " " }, ["rejected title_missing"]],
  ["no files", { assets: [] }, ["rejected files_missing"]],
  ["too many images", { assets: [createAsset(), createAsset(), createAsset()] }, ["rejected too_many_pictures"]],
  [
    "too many files",
    { assets: [createAsset(), createAsset(), createAsset(), createAsset()] },
    ["rejected too_many_files", "rejected too_many_pictures"],
  ],
  ["unsupported type", { assets: [createAsset({ mimeType: "image/png" })] }, ["converted image_converted"]],
  ["file too large", { assets: [createAsset({ bytes: 1001 })] }, ["converted image_converted"]],
  ["unknown size", { assets: [createAsset({ bytes: null })] }, []],
  ["too wide", { assets: [createAsset({ width: 400 })] }, ["converted image_converted"]],
  ["too tall", { assets: [createAsset({ height: 400 })] }, ["converted image_converted"]],
  ["too small", { assets: [createAsset({ width: 90, height: 90 })] }, ["converted image_converted"]],
  ["alt text missing", { assets: [createAsset({ altText: undefined })] }, ["warning alt_text_missing"]],
  ["alt text too long", { assets: [createAsset({ altText: "A longer one" })] }, ["rejected alt_text_too_long"]],
  ["alt text of as many emoji as are allowed", { assets: [createAsset({ altText: "🌁🌁🌁🌁🌁" })] }, []],
  [
    "unsupported document",
    { assets: [createAsset({ kind: "document", mimeType: "application/pdf" })] },
    ["rejected document_unsupported"],
  ],
  [
    "mixed kinds of media",
    { assets: [createAsset(), createAsset({ kind: "video", mimeType: "video/mp4", durationMs: 5000 })] },
    ["rejected mixed_media"],
  ],
  [
    "video too long",
    { assets: [createAsset({ kind: "video", mimeType: "video/mp4", durationMs: 60_001 })] },
    ["rejected video_too_long"],
  ],
  [
    "video too short",
    { assets: [createAsset({ kind: "video", mimeType: "video/mp4", durationMs: 100 })] },
    ["rejected video_too_short"],
  ],
];
for (const [name, draft, expected] of cases)
  test(`${name}: reports ${expected.join(", ") || "no problem"} (PLATFORM-12)`, () =>
    assert.deepEqual(findCodes(draft), expected));

test("limits that vary by instance only cause warnings (PLATFORM-12)", () => {
  assert.deepEqual(findCodes({ body: "x".repeat(11) }, { ...limits, variesByInstance: true }), [
    "warning text_too_long",
  ]);
});

test("a problem with one file names it; a problem with several files lists them in one message (PLATFORM-12)", () => {
  const find = (...assets: AssetDetail[]) => findProblems(limits, { title: "Title", body: "", assets })[0];
  assert.deepEqual(find(createAsset({ bytes: 2_000_000 })), {
    level: "converted",
    code: "image_converted",
    message: "a.jpg will be compressed, at most 200 × 200.",
    assetId: "ast_1",
    size: { width: 200, height: 200 },
  });
  const unsized = { width: undefined, height: undefined };
  assert.deepEqual(find(createAsset({ ...unsized, id: "ast_2", filename: "b.jpg" }), createAsset(unsized)), {
    level: "rejected",
    code: "image_unreadable",
    message: "b.jpg and a.jpg can’t be opened; export them as JPEG.",
    assetIds: ["ast_2", "ast_1"],
  });
  const video = { kind: "video", mimeType: "video/webm" } as const;
  assert.deepEqual(find(createAsset({ ...video, filename: "c.webm" })), {
    level: "rejected",
    code: "type_unsupported",
    message: "c.webm is video/webm; the platform accepts video/mp4, and videos are not converted.",
    assetId: "ast_1",
  });
});

test("warns about an image that was not inspected yet, except for types that are never opened (PLATFORM-12)", () => {
  const heic = { id: "ast_2", mimeType: "image/heic" };
  const [unchecked, checked] = [new Map(), new Map([["ast_1", { problem: "unreadable" } as const]])];
  const findAll = (draft: Partial<Draft>) =>
    findCodes({ assets: [createAsset({ bytes: 10 }), createAsset(heic)], ...draft });
  assert.deepEqual(findAll({ inspections: unchecked }), ["warning image_unchecked", "rejected heic_unsupported"]);
  assert.deepEqual(findAll({ inspections: checked }), ["rejected image_unreadable", "rejected heic_unsupported"]);
});

test("validates a post once per platform, and reports the result for each account (PLATFORM-12)", async () => {
  let validations = 0;
  const platform = { ...fakePlatforms.find("somewhere")!, limits: { ...limits } };
  Object.defineProperty(platform.limits, "files", {
    get() {
      validations++;
      return limits.files;
    },
  });
  const platforms = { ...fakePlatforms, find: (id: string) => (id === "somewhere" ? platform : undefined) };
  const connections = Array.from({ length: 50 }, (_, i) => ({
    ...{ id: `plc_${i}`, studioId: "std_1", platform: i === 0 ? "removed" : "somewhere", instance: "" },
    account: { id: String(i), handle: null, name: null, avatarUrl: null, profileUrl: null },
    ...{
      state: "connected",
      credential: "",
      credentialGeneration: 1,
      tokenExpiresAt: null,
      accessEndsAt: null,
      connectedBy: null,
      connectedAt: 0,
    },
  })) as PlatformConnection[];
  const post = { id: "pst_1", revision: 1, title: "Longer", body: "", assets: [createAsset()] };
  const results = await validatePost({ platforms, textChecks: createTextChecks() }, connections, post);
  assert.deepEqual([results.length, validations], [49, 1]);
  assert.deepEqual([results[48]?.account, results[48]?.problems[0]?.code], ["49", "title_too_long"]);
});

test("warns of Markdown in the text of an account on every platform (PLATFORM-12)", async () => {
  const somewhere = fakePlatforms.find("somewhere");
  assert.ok(somewhere);
  for (const { id, limits: platformLimits } of catalog) {
    const platforms = { ...fakePlatforms, find: () => ({ ...somewhere, limits: platformLimits }) };
    const connections = ["plc_1", "plc_2"].map((connectionId) => ({
      id: connectionId,
      platform: id,
      account: { id: "1" },
    }));
    const variants = [{ connectionId: "plc_2", body: "Plain" }];
    const post = { id: "pst_1", revision: 1, title: "", body: "**Bold** [a](https://b.example)", assets: [], variants };
    const validations = await validatePost(
      { platforms, textChecks: createTextChecks() },
      connections as PlatformConnection[],
      post,
    );
    const found = validations.map(({ problems }) => problems.filter(({ code }) => code === "markdown"));
    const message = "The platform shows Markdown as it is typed: **bold**, [text](url). Write plain text instead.";
    assert.deepEqual(found, [[{ level: "warning", code: "markdown", message }], []], id);
  }
});

test("warns of what a link costs on X, in the post and in what follows it (PLATFORM-12)", async () => {
  const platforms = { ...fakePlatforms, find: () => ({ ...fakePlatforms.find("somewhere")!, limits: x.limits }) };
  const connection = { id: "plc_1", platform: "x", account: { id: "1" } } as PlatformConnection;
  const findCost = async (body: string, followUps: string[] = []) => {
    const variants = [{ connectionId: "plc_1", followUps }];
    const post = { id: "pst_1", revision: 1, title: "", body, assets: [], variants };
    const [view] = await validatePost({ platforms, textChecks: createTextChecks() }, [connection], post);
    return view?.problems.filter(({ code }) => code === "link_cost").map(({ level, message }) => [level, message]);
  };
  const message = "X charges the owner of the app $0.20 for a post with a link, and $0.015 for one without.";
  assert.deepEqual(await findCost("See https://example.com."), [["warning", message]]);
  assert.deepEqual(await findCost("See below", ["https://example.com"]), [["warning", message]]);
  assert.deepEqual(await findCost("See example", ["more"]), []);
});

test("a text has the same length if clients count it by the rule in the validation (PLATFORM-12)", async () => {
  const textChecks = createTextChecks();
  const body = "Hello @ada@social.example 👩‍👩‍👧‍👦 https://example.com/a-long-path-to-a-page";
  for (const { id, limits: platformLimits } of catalog) {
    const somewhere = fakePlatforms.find("somewhere");
    assert.ok(somewhere);
    const platforms = { ...fakePlatforms, find: () => ({ ...somewhere, limits: platformLimits }) };
    const connection = { id: "plc_1", platform: id, account: { id: "1", name: "1" } } as PlatformConnection;
    const post = { id: "pst_1", revision: 1, title: "", body, assets: [] };
    const [validation] = await validatePost({ platforms, textChecks }, [connection], post);
    const text = validation?.text;
    if (platformLimits.text === undefined) assert.equal(text, undefined);
    else {
      assert.ok(text, id);
      assert.equal(countText(body, text), text.length, id);
    }
  }
});
