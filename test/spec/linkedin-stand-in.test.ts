import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, test } from "node:test";
import { startLinkedIn, type LinkedInStandIn } from "../servers/linkedin/server.ts";
import { renderLittleText } from "../servers/linkedin/little-text.ts";
import { hashBytes } from "../servers/http-stand-in.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import { avif, gif, hugePng, jpeg, manyFrameGif, office, pdf, png, webp, zip } from "../support/samples.ts";

type Json = Record<string, any>;
type Headers = Record<string, string | undefined>;

describe("the LinkedIn stand-in", () => {
  let linkedin: LinkedInStandIn;
  let video: Buffer;
  before(async () => {
    video = await muxVideo("mp4", { seconds: 3, frameBytes: 150_000 });
  });
  beforeEach(async () => {
    linkedin = await startLinkedIn();
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

  test("creates a text post, and returns its URN in x-restli-id without a body", async () => {
    const startedAt = Date.now();
    const { status, headers, json } = await publish({ commentary: "Grüße, 世界 👋" });
    assert.deepEqual([status, json], [201, {}]);
    const [post, ...others] = linkedin.posts();
    assert.deepEqual(others, []);
    assert.match(headers.get("x-restli-id") ?? "", /^urn:li:share:\d+$/);
    assert.equal(post?.id, headers.get("x-restli-id"));
    assert.deepEqual([post?.author, post?.text, post?.media], [author(), "Grüße, 世界 👋", []]);
    const createdAt = post!.createdAt.getTime();
    assert.ok(createdAt >= startedAt && createdAt <= Date.now());
  });

  test("requires a valid access token", async () => {
    await expectError(publish({}, { authorization: undefined }), 401, "EMPTY_ACCESS_TOKEN");
    await expectError(publish({}, { authorization: "Bearer other" }), 401, "INVALID_ACCESS_TOKEN");
    linkedin.tokens.expire();
    const json = await expectError(publish(), 401, "EXPIRED_ACCESS_TOKEN");
    assert.equal(json["serviceErrorCode"], 65602);
    assert.deepEqual(linkedin.posts(), []);
  });

  test("refreshes an expired token once, with the credentials of the client", async () => {
    linkedin.tokens.expire();
    const { refreshToken, clientId, clientSecret } = linkedin.tokens;
    const refresh = (secret: string): Promise<Response> =>
      fetch(`${linkedin.origin}/oauth/v2/accessToken`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: refreshToken,
          client_id: clientId,
          client_secret: secret,
        }),
      });
    assert.equal((await refresh("wrong")).status, 401);
    const response = await refresh(clientSecret);
    const { access_token: accessToken } = (await response.json()) as Json;
    assert.deepEqual([response.status, accessToken], [200, linkedin.tokens.accessToken]);
    assert.equal((await publish()).status, 201);
    assert.equal((await refresh(clientSecret)).status, 400);
  });

  test("redeems a code of the authorization page once", async () => {
    const { clientId, clientSecret } = linkedin.tokens;
    const redirectUri = "http://127.0.0.1:1/callback";
    const request = new URL("https://www.linkedin.com/oauth/v2/authorization");
    assert.throws(() => linkedin.tokens.authorize(request.href), /response_type/);
    const parameters = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "s" };
    request.search = String(new URLSearchParams({ ...parameters, scope: "openid w_member_social" }));
    const callback = new URL(linkedin.tokens.authorize(request.href));
    assert.equal(callback.searchParams.get("state"), "s");
    const redeem = (): Promise<Response> =>
      fetch(`${linkedin.origin}/oauth/v2/accessToken`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: callback.searchParams.get("code") ?? "",
          redirect_uri: redirectUri,
          client_id: clientId,
          client_secret: clientSecret,
        }),
      });
    linkedin.settings.issuesRefreshTokens = false;
    const json = (await (await redeem()).json()) as Json;
    assert.deepEqual([json["access_token"], json["refresh_token"]], [linkedin.tokens.accessToken, undefined]);
    assert.deepEqual([...linkedin.tokens.scopes], ["openid", "w_member_social"]);
    assert.equal((await publish()).status, 201);
    assert.equal((await redeem()).status, 400);
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
    await expectError(publish({ author: "urn:li:member:1" }), 400, "INVALID_URN_TYPE");
    await expectError(publish({ author: "urn:li:person:someone-else" }), 403, "ACCESS_DENIED");
    await expectError(publish({ visibility: "EVERYONE" }), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(publish({ lifecycleState: "DRAFT" }), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(publish({ distribution: {} }), 400, "MISSING_FIELD");
    await expectError(publish({ commentary: " " }), 400, "INVALID_VALUE_BLANK_FIELD");
    await expectError(publish({ commentary: "a".repeat(3001) }), 400, "FIELD_LENGTH_TOO_LONG");
    assert.equal((await publish({ text: "x" })).status, 422);
    assert.equal((await publish({ content: { article: { source: "https://example.com" } } })).status, 501);
    assert.deepEqual(linkedin.posts(), []);
    assert.equal((await publish({ commentary: "a".repeat(3000) })).status, 201);
  });

  test("posts for an organization only with its scope", async () => {
    const [organization] = linkedin.organizations;
    await expectError(publish({ author: organization }), 403, "ACCESS_DENIED");
    linkedin.tokens.scopes.add("w_organization_social");
    assert.equal((await publish({ author: organization })).status, 201);
    await expectError(publish({ author: "urn:li:organization:1" }), 403, "ACCESS_DENIED");
  });

  test("renders the little text format, and cuts off the text at the first reserved character that isn't escaped", () => {
    const escaped = String.raw`a \(b\) \[c\] \{d\} \<e\> f\@g.h \*i\* \_j\_ \~ \| \\ \#k`;
    assert.equal(renderLittleText(escaped).text, String.raw`a (b) [c] {d} <e> f@g.h *i* _j_ ~ | \ #k`);
    const tagged = renderLittleText(
      String.raw`#one {hashtag|\#|two} {hashtag|#|three} @[Ada \(A\)](urn:li:person:x1)!`,
    );
    assert.deepEqual(tagged, {
      text: "#one #two #three Ada (A)!",
      hashtags: ["one", "two", "three"],
      mentions: ["urn:li:person:x1"],
    });
    for (const character of String.raw`|{}@[]()<>*_~`) assert.equal(renderLittleText(`a${character} b`).text, "a");
    assert.equal(renderLittleText("a # b").text, "a ");
    assert.equal(renderLittleText(String.raw`a\b`).text, "a");
    assert.equal(renderLittleText("#snake_case").text, "#snake");
  });

  test("publishes the text as readers see it", async () => {
    await publish({ commentary: "Ends here (not there)" });
    assert.equal(linkedin.posts()[0]?.text, "Ends here ");
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
    linkedin.advanceClock(10 * 60 * 1000);
    assert.equal((await publish()).status, 201);
    assert.equal(linkedin.posts().length, 2);
  });

  test("publishes an image with its alt text", async () => {
    const bytes = await jpeg(1200, 627);
    const id = await uploadImage(bytes);
    assert.equal((await publish({ content: { media: { id, altText: "A vase" } } })).status, 201);
    assert.deepEqual(linkedin.posts()[0]?.media, [
      { mimeType: "image/jpeg", bytes: bytes.length, sha256: hashBytes(bytes), altText: "A vase", title: undefined },
    ]);
    await expectError(publish({ content: { media: { id, altText: "a".repeat(4087) } } }), 400, "FIELD_LENGTH_TOO_LONG");
  });

  test("requires the access token for the bytes of an image", async () => {
    const { uploadUrl, image } = await initialize("images");
    assert.equal((await put(uploadUrl, await png())).status, 401);
    assert.equal((await put(uploadUrl, await png(), { authorization: "Bearer other" })).status, 401);
    assert.equal((await fetch(uploadUrl, { method: "POST", headers: withToken(), body: "x" })).status, 404);
    await expectError(publish({ content: { media: { id: image } } }), 400, "MEDIA_ASSET_WAITING_UPLOAD");
    linkedin.advanceClock(31 * 24 * 60 * 60 * 1000);
    assert.equal((await put(uploadUrl, await png(), withToken())).status, 400);
  });

  test("fails to process images of other types, or with too many pixels or frames", async () => {
    const samples = [await webp(), await avif(), hugePng(7000, 6000), manyFrameGif(251), Buffer.from("text")];
    for (const bytes of samples) {
      const id = await uploadImage(bytes);
      await expectError(publish({ content: { media: { id } } }), 400, "MEDIA_ASSET_PROCESSING_FAILED");
    }
    const id = await uploadImage(await gif());
    assert.equal((await publish({ content: { media: { id } } })).status, 201);
    assert.equal(linkedin.settings.limits.imagePixels, 36_152_320);
    linkedin.settings.limits.imagePixels = 64 * 48;
    const large = await uploadImage(await png(64, 48));
    await expectError(publish({ content: { media: { id: large } } }), 400, "MEDIA_ASSET_PROCESSING_FAILED");
    const small = await uploadImage(await png(64, 47));
    assert.equal((await publish({ content: { media: { id: small } } })).status, 201);
  });

  test("rejects an image that another author owns", async () => {
    linkedin.tokens.scopes.add("w_organization_social");
    const [organization] = linkedin.organizations;
    const id = await uploadImage(await png());
    await expectError(publish({ author: organization, content: { media: { id } } }), 400, "INVALID_URN_ID");
  });

  test("reads the status of an image only with the restricted scope, by its encoded URN", async () => {
    const id = await uploadImage(await png());
    await expectError(call("GET", `/rest/images/${encodeURIComponent(id)}`), 403);
    linkedin.tokens.scopes.add("r_member_social");
    assert.equal(await readStatus("images", id), "AVAILABLE");
    await expectError(call("GET", `/rest/images/${id}`), 400, "BAD_REQUEST");
  });

  test("publishes two to twenty images of the author in order", async () => {
    const files = [await jpeg(10, 10), await png(20, 20), await gif(30, 30)];
    const images: Json[] = [];
    for (const [index, bytes] of files.entries())
      images.push({ id: await uploadImage(bytes), altText: `Image ${index}` });
    const publishImages = (list: Json[]) => publish({ content: { multiImage: { images: list } } });
    await expectError(publishImages(images.slice(0, 1)), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(publishImages(Array.from({ length: 21 }, () => images[0]!)), 400, "INVALID_VALUE_FOR_FIELD");
    await expectError(publishImages([images[0]!, { id: "urn:li:image:unknown" }]), 400, "INVALID_URN_ID");
    assert.equal((await publishImages(images)).status, 201);
    assert.deepEqual(
      linkedin.posts()[0]?.media.map(({ sha256, altText }) => [sha256, altText]),
      files.map((bytes, index) => [hashBytes(bytes), `Image ${index}`]),
    );
  });

  test("keeps a post with an image that is processed later, or never, out of the public posts", async () => {
    const processingMs = 60 * 60 * 1000;
    linkedin.settings.processing.image.ms = processingMs;
    const id = await uploadImage(await png());
    assert.equal((await publish({ content: { media: { id } } })).status, 201);
    assert.deepEqual(linkedin.posts(), []);
    linkedin.advanceClock(processingMs);
    assert.equal(linkedin.posts().length, 1);
    linkedin.faults.failProcessing = 1;
    const failing = await uploadImage(await png());
    assert.equal((await publish({ content: { media: { id: failing } } })).status, 201);
    linkedin.advanceClock(processingMs);
    assert.equal(linkedin.posts().length, 1);
  });

  test("publishes a video that was uploaded in parts of 4 MB, after it is processed", async () => {
    assert.ok(video.length > 4_194_304);
    const id = await uploadVideo(video);
    assert.equal(await readStatus("videos", id), "PROCESSING");
    assert.equal(await readStatus("videos", id), "AVAILABLE");
    const { headers } = await publish({ content: { media: { id, title: "A tour" } } });
    assert.match(headers.get("x-restli-id") ?? "", /^urn:li:ugcPost:/);
    const [media] = linkedin.posts()[0]!.media;
    assert.deepEqual([media?.mimeType, media?.sha256, media?.title], ["video/mp4", hashBytes(video), "A tour"]);
  });

  test("returns upload URLs of the origin that a test sets", async () => {
    linkedin.settings.uploadOrigin = "https://uploads.test";
    assert.match((await initialize("images"))["uploadUrl"] as string, /^https:\/\/uploads\.test\/dms-uploads\//);
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
    linkedin.settings.processing.video.polls = 0;
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

  test("reads posts back only with the restricted scope", async () => {
    await publish({ commentary: String.raw`First \(1\) #tag` });
    const { headers } = await publish({ commentary: "Second" });
    const path = `/rest/posts/${encodeURIComponent(headers.get("x-restli-id") ?? "")}`;
    const finder = `/rest/posts?q=author&author=${encodeURIComponent(author())}&count=10&sortBy=CREATED`;
    const find = () => call("GET", finder, undefined, { "x-restli-method": "FINDER" });
    await expectError(call("GET", path), 403, "ACCESS_DENIED");
    await expectError(find(), 403, "ACCESS_DENIED");
    linkedin.tokens.scopes.add("r_member_social");
    assert.equal((await call("GET", path)).json["commentary"], "Second");
    await expectError(call("GET", `/rest/posts/${encodeURIComponent("urn:li:share:1")}`), 404, "NOT_FOUND");
    await expectError(call("GET", finder), 400, "BAD_REQUEST");
    const { elements } = (await find()).json;
    assert.deepEqual(
      (elements as Json[]).map(({ commentary }) => commentary as string),
      ["Second", String.raw`First \(1\) {hashtag|\#|tag}`],
    );
  });

  test("drops the connection after or before publishing", async () => {
    linkedin.faults.dropResponses = 1;
    await assert.rejects(publish({ commentary: "one" }));
    assert.equal(linkedin.posts().length, 1);
    linkedin.faults.dropRequests = 1;
    await assert.rejects(publish({ commentary: "two" }));
    assert.equal(linkedin.posts().length, 1);
    assert.equal((await publish({ commentary: "two" })).status, 201);
  });

  test("responds with 503 and 429 without doing the work", async () => {
    Object.assign(linkedin.faults, { unavailable: 1, rateLimited: 1 });
    await expectError(publish(), 503, "SERVICE_UNAVAILABLE");
    const json = await expectError(publish(), 429);
    assert.equal(json["serviceErrorCode"], 101);
    assert.deepEqual(linkedin.posts(), []);
    Object.assign(linkedin.faults, { unavailableUploads: 1, rateLimitedUploads: 1 });
    const body = { initializeUploadRequest: { owner: author() } };
    const start = () => call("POST", "/rest/images?action=initializeUpload", body);
    assert.deepEqual([(await start()).status, (await start()).status, (await start()).status], [503, 429, 200]);
  });

  test("limits the requests of a member per day", async () => {
    const dayMs = 24 * 60 * 60 * 1000;
    linkedin.advanceClock(dayMs * 1.5 - (Date.now() % dayMs)); // noon, because the quota resets at midnight
    linkedin.settings.dailyRequests = 2;
    assert.equal((await publish({ commentary: "one" })).status, 201);
    assert.equal((await publish({ commentary: "two" })).status, 201);
    await expectError(publish({ commentary: "three" }), 429);
    linkedin.advanceClock(dayMs);
    assert.equal((await publish({ commentary: "three" })).status, 201);
  });

  test("returns the signed-in member", async () => {
    const { json } = await call("GET", "/v2/userinfo");
    assert.equal(json["sub"], linkedin.memberId);
  });
});
