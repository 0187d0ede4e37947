import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, test } from "node:test";
import { days, minutes } from "#lib/clock.ts";
import { startLinkedIn, type LinkedInStandIn } from "../servers/linkedin/server.ts";
import { renderLittleText } from "../servers/linkedin/little-text.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import { avif, hugePng, manyFrameGif, office, pdf, png, webp, zip } from "../support/samples.ts";

type Json = Record<string, any>;
type Headers = Record<string, string | undefined>;

describe("the LinkedIn stand-in", () => {
  let linkedin: LinkedInStandIn;
  let clock: TestClock;
  let video: Buffer;
  before(async () => {
    video = await muxVideo("mp4", { seconds: 3, frameBytes: 150_000 });
  });
  beforeEach(async () => {
    clock = createTestClock();
    linkedin = await startLinkedIn(clock);
  });
  afterEach(() => linkedin.close());

  const author = (): string => `urn:li:person:${linkedin.memberId}`;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    changedHeaders: Headers = {},
  ): Promise<{ status: number; headers: globalThis.Headers; json: Json }> {
    const headers: Headers = {
      authorization: `Bearer ${linkedin.tokens.accessToken}`,
      "linkedin-version": "202609",
      "x-restli-protocol-version": "2.0.0",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...changedHeaders,
    };
    const response = await fetch(`${linkedin.origin}${path}`, {
      method,
      headers: Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, json: text ? (JSON.parse(text) as Json) : {} };
  }

  const createPost = (changes: Json = {}): Json => ({
    author: author(),
    commentary: "Sample text Post",
    visibility: "PUBLIC",
    distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
    lifecycleState: "PUBLISHED",
    isReshareDisabledByAuthor: false,
    ...changes,
  });
  const publish = (changes: Json = {}, headers: Headers = {}) =>
    call("POST", "/rest/posts", createPost(changes), headers);

  async function expectError(
    response: Promise<{ status: number; json: Json }>,
    status: number,
    code?: string,
  ): Promise<Json> {
    const { status: actualStatus, json } = await response;
    assert.deepEqual([actualStatus, json["code"]], [status, code], JSON.stringify(json));
    return json;
  }

  const initialize = async (resource: string, request: Json = {}): Promise<Json> => {
    const body = { initializeUploadRequest: { owner: author(), ...request } };
    const { status, json } = await call("POST", `/rest/${resource}?action=initializeUpload`, body);
    assert.equal(status, 200, JSON.stringify(json));
    return json["value"] as Json;
  };
  const put = (url: string, bytes: Buffer, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, { method: "PUT", headers, body: new Uint8Array(bytes) });
  const withToken = (): Record<string, string> => ({ authorization: `Bearer ${linkedin.tokens.accessToken}` });

  async function uploadImage(bytes: Buffer): Promise<string> {
    const { uploadUrl, image } = await initialize("images");
    assert.equal((await put(uploadUrl, bytes, withToken())).status, 201);
    return image as string;
  }
  const octets = { "content-type": "application/octet-stream" };
  const finalize = (urn: string, uploadedPartIds: (string | null)[]) =>
    call("POST", "/rest/videos?action=finalizeUpload", {
      finalizeUploadRequest: { video: urn, uploadToken: "", uploadedPartIds },
    });
  async function uploadVideo(bytes: Buffer): Promise<string> {
    const { video: urn, uploadInstructions } = await initialize("videos", { fileSizeBytes: bytes.length });
    const etags: (string | null)[] = [];
    for (const { uploadUrl, firstByte, lastByte } of uploadInstructions as Json[]) {
      const response = await put(uploadUrl, bytes.subarray(firstByte, lastByte + 1), octets);
      assert.equal(response.status, 200);
      etags.push(response.headers.get("etag"));
    }
    assert.equal((await finalize(urn as string, etags)).status, 200);
    return urn as string;
  }
  const readStatus = async (resource: string, urn: string): Promise<string> => {
    const { json } = await call("GET", `/rest/${resource}/${encodeURIComponent(urn)}`);
    return json["status"] as string;
  };

  test("requires a valid access token", async () => {
    await expectError(publish({}, { authorization: undefined }), 401, "EMPTY_ACCESS_TOKEN");
    await expectError(publish({}, { authorization: "Bearer other" }), 401, "INVALID_ACCESS_TOKEN");
    linkedin.tokens.expire();
    const json = await expectError(publish(), 401, "EXPIRED_ACCESS_TOKEN");
    assert.equal(json["serviceErrorCode"], 65602);
    assert.deepEqual(linkedin.posts(), []);
  });

  test("requires the version headers and an active version", async () => {
    await expectError(publish({}, { "linkedin-version": undefined }), 400, "VERSION_MISSING");
    const json = await expectError(publish({}, { "linkedin-version": "202409" }), 426, "NONEXISTENT_VERSION");
    assert.equal(json["message"], "Requested version 20240901 is not active");
    await expectError(publish({}, { "x-restli-protocol-version": "1.0.0" }), 400, "BAD_REQUEST");
    await expectError(publish({}, { "x-restli-protocol-version": undefined }), 400, "BAD_REQUEST");
    assert.equal((await publish({}, { "content-type": "text/plain" })).status, 415);
    assert.deepEqual(linkedin.posts(), []);
  });

  test("requires the documented fields of a post and rejects unknown ones", async () => {
    for (const field of ["author", "commentary", "visibility", "distribution", "lifecycleState"])
      await expectError(publish({ [field]: undefined }), 400, "MISSING_FIELD");
    const rejected: [changes: Json, code: string, status?: number][] = [
      [{ author: "urn:li:member:1" }, "INVALID_URN_TYPE"],
      [{ author: "urn:li:person:someone-else" }, "ACCESS_DENIED", 403],
      [{ author: "urn:li:organization:1" }, "ACCESS_DENIED", 403],
      [{ visibility: "EVERYONE" }, "INVALID_VALUE_FOR_FIELD"],
      [{ lifecycleState: "DRAFT" }, "INVALID_VALUE_FOR_FIELD"],
      [{ distribution: {} }, "MISSING_FIELD"],
      [{ commentary: " " }, "INVALID_VALUE_BLANK_FIELD"],
      [{ commentary: "a".repeat(3001) }, "FIELD_LENGTH_TOO_LONG"],
    ];
    for (const [changes, code, status = 400] of rejected) await expectError(publish(changes), status, code);
    assert.equal((await publish({ text: "x" })).status, 422);
    assert.equal((await publish({ content: { article: { source: "https://example.com" } } })).status, 501);
    assert.deepEqual(linkedin.posts(), []);
    assert.equal((await publish({ commentary: "a".repeat(3000) })).status, 201);
  });

  test("renders the little text format, and cuts off the text at the first reserved character that isn't escaped", () => {
    const escaped = String.raw`a \(b\) \[c\] \{d\} \<e\> f\@g.h \*i\* \_j\_ \~ \| \\ \#k`;
    assert.equal(renderLittleText(escaped).text, String.raw`a (b) [c] {d} <e> f@g.h *i* _j_ ~ | \ #k`);
    assert.deepEqual(renderLittleText("#one and #two!"), { text: "#one and #two!", hashtags: ["one", "two"] });
    for (const character of String.raw`|{}@[]()<>*_~`) assert.equal(renderLittleText(`a${character} b`).text, "a");
    assert.equal(renderLittleText("a # b").text, "a ");
    assert.equal(renderLittleText(String.raw`a\b`).text, "a");
    assert.equal(renderLittleText("#snake_case").text, "#snake");
  });

  test("rejects a duplicate for 10 minutes and names the original", async () => {
    const original = (await publish()).headers.get("x-restli-id");
    const response = await publish();
    assert.equal(response.status, 422);
    assert.equal(response.json["errorDetails"].inputErrors[0].code, "DUPLICATE_POST");
    assert.ok((response.json["message"] as string).endsWith(`Content is a duplicate of ${original}`));
    linkedin.faults.duplicatesOfMissingPosts = 1;
    assert.doesNotMatch((await publish()).json["message"] as string, new RegExp(`${original}$`));
    assert.equal(linkedin.posts().length, 1);
    clock.advance(minutes(10));
    assert.equal((await publish()).status, 201);
    assert.equal(linkedin.posts().length, 2);
  });

  test("requires the access token for the bytes of an image", async () => {
    const { uploadUrl, image } = await initialize("images");
    assert.equal((await put(uploadUrl, await png())).status, 401);
    assert.equal((await put(uploadUrl, await png(), { authorization: "Bearer other" })).status, 401);
    assert.equal((await fetch(uploadUrl, { method: "POST", headers: withToken(), body: "x" })).status, 404);
    await expectError(publish({ content: { media: { id: image } } }), 400, "MEDIA_ASSET_WAITING_UPLOAD");
    clock.advance(days(31));
    assert.equal((await put(uploadUrl, await png(), withToken())).status, 400);
  });

  test("fails to process images of other types, or with too many pixels or frames", async () => {
    const samples = [await webp(), await avif(), hugePng(7000, 6000), manyFrameGif(251), Buffer.from("text")];
    for (const bytes of samples) {
      const id = await uploadImage(bytes);
      await expectError(publish({ content: { media: { id } } }), 400, "MEDIA_ASSET_PROCESSING_FAILED");
    }
    const id = await uploadImage(await png());
    const altText = "a".repeat(4087);
    await expectError(publish({ content: { media: { id, altText } } }), 400, "FIELD_LENGTH_TOO_LONG");
    assert.equal((await publish({ content: { media: { id } } })).status, 201);
    await expectError(call("GET", `/rest/images/${encodeURIComponent(id)}`), 403);
    await expectError(call("GET", `/rest/images/${id}`), 400, "BAD_REQUEST");
  });

  test("rejects posts of one image or more than twenty, and of unknown images", async () => {
    const image = { id: await uploadImage(await png()) };
    const publishImages = (images: Json[]) => publish({ content: { multiImage: { images } } });
    await expectError(publishImages([image]), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(publishImages(Array.from({ length: 21 }, () => image)), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(publishImages([image, { id: "urn:li:image:unknown" }]), 400, "INVALID_URN_ID");
    assert.equal((await publishImages([image, image])).status, 201);
  });

  test("rejects wrong parts of a video", async () => {
    const { video: id, uploadInstructions } = await initialize("videos", { fileSizeBytes: video.length });
    const [first, second] = uploadInstructions as Json[];
    assert.deepEqual([first!["firstByte"], first!["lastByte"], second!["firstByte"]], [0, 4_194_303, 4_194_304]);
    const bytes = video.subarray(0, 4_194_304);
    assert.equal((await put(first!["uploadUrl"], bytes, { ...octets, ...withToken() })).status, 401);
    assert.equal((await put(first!["uploadUrl"], bytes)).status, 415);
    assert.equal((await put(first!["uploadUrl"], bytes.subarray(1), octets)).status, 400);
    await expectError(finalize(id as string, []), 400, "MEDIA_ASSET_WAITING_UPLOAD");
    const firstEtag = (await put(first!["uploadUrl"], bytes, octets)).headers.get("etag");
    await expectError(finalize(id as string, [firstEtag]), 400, "MEDIA_ASSET_WAITING_UPLOAD");
    const secondEtag = (await put(second!["uploadUrl"], video.subarray(4_194_304), octets)).headers.get("etag");
    await expectError(finalize(id as string, [secondEtag, firstEtag]), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(finalize("urn:li:video:unknown", []), 400, "INVALID_VIDEO_ID");
    await expectError(publish({ content: { media: { id } } }), 400, "MEDIA_ASSET_WAITING_UPLOAD");
    assert.equal((await finalize(id as string, [firstEtag, secondEtag])).status, 200);
  });

  test("fails to process a video that is too short, too small or not MP4", async () => {
    linkedin.settings.processingPolls = 0;
    const samples = [
      await muxVideo("mp4", { seconds: 2, frameBytes: 10_000 }),
      await muxVideo("mp4", { seconds: 4 }),
      await muxVideo("webm", { seconds: 4, frameBytes: 10_000 }),
    ];
    for (const bytes of samples) {
      const id = await uploadVideo(bytes);
      assert.equal(await readStatus("videos", id), "PROCESSING_FAILED");
      await expectError(publish({ content: { media: { id } } }), 400, "MEDIA_ASSET_PROCESSING_FAILED");
    }
  });

  test("publishes a document only with a title", async () => {
    for (const bytes of [pdf, office("word"), office("ppt")]) {
      const { uploadUrl, document: id } = await initialize("documents");
      assert.equal((await put(uploadUrl, bytes, withToken())).status, 201);
      assert.equal(await readStatus("documents", id as string), "PROCESSING");
      assert.equal(await readStatus("documents", id as string), "AVAILABLE");
      await expectError(publish({ content: { media: { id } } }), 400, "MISSING_FIELD");
      assert.equal((await publish({ content: { media: { id, title: "Report.pdf" } } })).status, 201);
    }
    assert.equal(linkedin.posts().length, 3);
    const { uploadUrl, document: id } = await initialize("documents");
    await put(uploadUrl, zip({ "readme.txt": "x" }), withToken());
    await readStatus("documents", id as string);
    assert.equal(await readStatus("documents", id as string), "PROCESSING_FAILED");
  });
});
