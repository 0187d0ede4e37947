import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { afterEach, before, beforeEach, describe, test } from "node:test";
import { hashBytes } from "../servers/http-stand-in.ts";
import { startX, type XStandIn } from "../servers/x/server.ts";
import { findUrls, weighText } from "../servers/x/text.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import { gif, jpeg, png, webp } from "../support/samples.ts";

type Json = Record<string, any>;

test("weighs text as the conformance suite of twitter-text does", () => {
  const weights: [text: string, weight: number][] = [
    ["Hi http://test.co", 26],
    ["http://test.co", 23],
    ["https://www.twitter.com/aloha ".repeat(10), 240],
    ["the", 3],
    ["世界", 4],
    ["café", 4],
    ["cafe\u0301", 4],
    ["😷", 2],
    ["🙋🏽", 2],
    ["👨‍🎤", 2],
    ["👨‍👩‍👧‍👦", 2],
    ["❤️", 2],
    ["1️⃣", 2],
    ["1⃣", 2],
    ["http://foobar.پاکستان/", 23],
    ["これはexample.comです", 33],
    ["🇳🇴", 2],
    ["a–b “c” …", 10],
    [`${"randomurl".repeat(7)}s.com`, 68],
    ["https://example.com/very/long/path?with=query&and=more#fragment", 23],
  ];
  for (const [text, weight] of weights) assert.equal(weighText(text), weight, text);
});

test("finds the URLs that X shortens", () => {
  const urlsOf = (text: string): string[] => findUrls(text).map(({ url }) => url);
  assert.deepEqual(urlsOf("See example.com, (https://example.org/a_(b)) and http://例え.com/x."), [
    "example.com",
    "https://example.org/a_(b)",
    "http://例え.com/x",
  ]);
  assert.deepEqual(urlsOf("mail me@example.com, @example.com, $example.com, #example.com, e.g. this, v1.2.3"), []);
  assert.deepEqual(urlsOf("file.notatld https://example.notatld/ 例え.com"), []);
  assert.deepEqual(urlsOf("end.no https://example.com/?q=1! done"), ["end.no", "https://example.com/?q=1"]);
});

describe("the X stand-in", () => {
  let x: XStandIn;
  let video: Buffer;
  before(async () => {
    video = await muxVideo("mp4", { seconds: 2, frameBytes: 150_000 });
  });
  beforeEach(async () => {
    x = await startX();
  });
  afterEach(() => x.close());

  interface Result {
    status: number;
    headers: Headers;
    json: Json;
  }
  async function send(method: string, path: string, body: string | FormData | null, headers: Record<string, string>) {
    const response = await fetch(`${x.origin}${path}`, { method, headers, body });
    const text = await response.text();
    const json = text ? (JSON.parse(text) as Json) : {};
    return { status: response.status, headers: response.headers, json } satisfies Result;
  }
  const bearer = (): Record<string, string> => ({ authorization: `Bearer ${x.tokens.accessToken}` });
  const post = (path: string, body: unknown, headers: Record<string, string> = bearer()): Promise<Result> =>
    send("POST", path, JSON.stringify(body), { "content-type": "application/json", ...headers });
  const get = (path: string): Promise<Result> => send("GET", path, null, bearer());
  const publish = (body: Json | string): Promise<Result> =>
    post("/2/tweets", typeof body === "string" ? { text: body } : body);

  const initialize = (request: Json): Promise<Result> => post("/2/media/upload/initialize", request);
  function append(id: string, segment: Buffer, index: number | string, fields: Json = {}): Promise<Result> {
    const form = new FormData();
    form.set("segment_index", String(index));
    form.set("media", new Blob([new Uint8Array(segment)]), "chunk");
    for (const [name, value] of Object.entries(fields)) form.set(name, value as string);
    return send("POST", `/2/media/upload/${id}/append`, form, bearer());
  }
  const finalize = (id: string): Promise<Result> => send("POST", `/2/media/upload/${id}/finalize`, null, bearer());
  const readStatus = async (id: string): Promise<Json> =>
    (await get(`/2/media/upload?command=STATUS&media_id=${id}`)).json["data"] as Json;

  async function upload(bytes: Buffer, type: string, category: string, segmentBytes = 1024 * 1024): Promise<string> {
    const { json } = await initialize({ media_type: type, total_bytes: bytes.length, media_category: category });
    const id = json["data"].id as string;
    for (let index = 0; index * segmentBytes < bytes.length; index++) {
      const segment = bytes.subarray(index * segmentBytes, (index + 1) * segmentBytes);
      assert.equal((await append(id, segment, index)).status, 200);
    }
    assert.equal((await finalize(id)).status, 200);
    return id;
  }
  const uploadImage = (bytes: Buffer, type = "image/jpeg"): Promise<string> => upload(bytes, type, "tweet_image");
  const attach = (...ids: string[]): Json => ({ text: `With ${ids.length}`, media: { media_ids: ids } });

  async function expectInvalid(response: Promise<Result>, message: RegExp | string): Promise<void> {
    const { status, json } = await response;
    assert.deepEqual([status, json["type"]], [400, "https://api.x.com/2/problems/invalid-request"], message.toString());
    const text = json["errors"][0].message as string;
    assert.ok(typeof message === "string" ? text === message : message.test(text), text);
  }

  test("creates a post and returns its id", async () => {
    const { status, json, headers } = await publish("Hello world!");
    assert.equal(status, 201);
    assert.equal(json["data"].text, "Hello world!");
    assert.equal(headers.get("x-rate-limit-limit"), "100");
    assert.equal(headers.get("x-rate-limit-remaining"), "99");
    const [created, ...others] = x.posts();
    assert.deepEqual(others, []);
    assert.deepEqual([created?.id, created?.text, created?.media], [json["data"].id, "Hello world!", []]);
  });

  test("requires a valid token with the scopes of the endpoint", async () => {
    assert.equal((await post("/2/tweets", { text: "x" }, {})).status, 401);
    assert.equal((await post("/2/tweets", { text: "x" }, { authorization: "Bearer other" })).status, 401);
    x.tokens.scopes.delete("tweet.write");
    assert.equal((await publish("x")).status, 403);
    x.tokens.scopes.delete("media.write");
    assert.equal((await initialize({ media_type: "image/png", total_bytes: 1 })).status, 403);
    x.tokens.expire();
    const { status, json } = await get("/2/users/me");
    const expected = { detail: "Unauthorized", type: "about:blank", title: "Unauthorized", status: 401 };
    assert.deepEqual([status, json], [401, expected]);
    assert.deepEqual(x.posts(), []);
  });

  test("refreshes an expired token once, with the credentials of the client", async () => {
    const { refreshToken, clientId, clientSecret } = x.tokens;
    x.tokens.expire();
    const refresh = (secret: string): Promise<Response> =>
      fetch(`${x.origin}/2/oauth2/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
        body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken }),
      });
    assert.equal((await refresh("wrong")).status, 401);
    const { access_token: accessToken } = (await (await refresh(clientSecret)).json()) as Json;
    assert.equal(accessToken, x.tokens.accessToken);
    assert.equal((await publish("refreshed")).status, 201);
    assert.equal((await refresh(clientSecret)).status, 400);
  });

  test("redeems a code of the authorization page once, with its verifier", async () => {
    const { clientId, clientSecret } = x.tokens;
    const verifier = "a".repeat(43);
    const redirectUri = "http://127.0.0.1:1/callback";
    const request = new URL("https://x.com/i/oauth2/authorize");
    const parameters = { response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "s" };
    request.search = String(new URLSearchParams({ ...parameters, scope: "tweet.read users.read" }));
    assert.throws(() => x.tokens.authorize(request.href), /Invalid authorization request/);
    request.searchParams.set("code_challenge", createHash("sha256").update(verifier).digest("base64url"));
    request.searchParams.set("code_challenge_method", "S256");
    const redeem = (callback: string, codeVerifier: string): Promise<Response> =>
      fetch(`${x.origin}/2/oauth2/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code: new URL(callback).searchParams.get("code") ?? "",
          redirect_uri: redirectUri,
          code_verifier: codeVerifier,
        }),
      });
    assert.equal((await redeem(x.tokens.authorize(request.href), "wrong")).status, 400);
    const callback = x.tokens.authorize(request.href);
    const json = (await (await redeem(callback, verifier)).json()) as Json;
    assert.deepEqual([json["access_token"], json["refresh_token"]], [x.tokens.accessToken, undefined]);
    assert.equal((await get("/2/users/me")).status, 200);
    assert.equal((await publish("without scope")).status, 403);
    assert.equal((await redeem(callback, verifier)).status, 400);
  });

  test("rejects unknown fields, empty posts, other content types and long texts", async () => {
    await expectInvalid(publish({ status: "x" }), /not a field/);
    await expectInvalid(publish({}), /required/);
    await expectInvalid(publish({ text: 1 }), /string/);
    await expectInvalid(publish("a\uFFFEb"), /invalid characters/);
    await expectInvalid(publish("$AAPL and $MSFT"), /cashtag/);
    await expectInvalid(
      post("/2/tweets", { text: "x" }, { ...bearer(), "content-type": "text/plain" }),
      /content type/,
    );
    await expectInvalid(publish("a".repeat(281)), /^Your Tweet text is too long\./);
    await expectInvalid(publish("世".repeat(141)), /too long/);
    assert.equal((await publish({ text: "x", poll: {} })).status, 501);
    assert.deepEqual(x.posts(), []);
    assert.equal((await publish("a".repeat(280))).status, 201);
    assert.equal((await publish(`${"a".repeat(256)} https://example.com/${"b".repeat(300)}`)).status, 201);
    assert.equal((await publish("$AAPL")).status, 201);
  });

  test("rejects a duplicate", async () => {
    await publish("once");
    const { status, json } = await publish("once");
    const detail = "You are not allowed to create a Tweet with duplicate content.";
    assert.deepEqual([status, json], [403, { detail, type: "about:blank", title: "Forbidden", status: 403 }]);
    assert.equal(x.posts().length, 1);
  });

  test("publishes up to four images with alt text", async () => {
    const files = [await jpeg(), await png(), await webp(), await jpeg(10, 10), await jpeg(20, 20)];
    const types = ["image/jpeg", "image/png", "image/webp", "image/jpeg", "image/jpeg"];
    const ids: string[] = [];
    for (const [index, bytes] of files.entries()) ids.push(await uploadImage(bytes, types[index]!));
    const described = await post("/2/media/metadata", { id: ids[1], metadata: { alt_text: { text: "A vase" } } });
    assert.deepEqual(described.json["data"], { id: ids[1], associated_metadata: { alt_text: { text: "A vase" } } });
    const tooLong = { id: ids[1], metadata: { alt_text: { text: "a".repeat(1001) } } };
    await expectInvalid(post("/2/media/metadata", tooLong), /1000/);
    await expectInvalid(publish(attach(...ids)), /1 to 4/);
    assert.equal((await publish(attach(...ids.slice(0, 4)))).status, 201);
    assert.deepEqual(
      x.posts()[0]?.media.map(({ mimeType, bytes, sha256, altText }) => [mimeType, bytes, sha256, altText]),
      files
        .slice(0, 4)
        .map((bytes, index) => [types[index], bytes.length, hashBytes(bytes), index === 1 ? "A vase" : undefined]),
    );
  });

  test("publishes a video after it is processed", async () => {
    const id = await upload(video, "video/mp4", "tweet_video");
    await expectInvalid(publish(attach(id)), "Your media IDs are invalid.");
    const states = [await readStatus(id), await readStatus(id)].map(({ processing_info: info }) => info as Json);
    assert.deepEqual(states, [
      { state: "in_progress", check_after_secs: 1 },
      { state: "succeeded", progress_percent: 100 },
    ]);
    assert.equal((await publish(attach(id))).status, 201);
    assert.equal(x.posts()[0]?.media[0]?.sha256, hashBytes(video));
  });

  test("fails to process videos that are too short, too wide or of another type, and if a test injects the fault", async () => {
    x.settings.processing.polls = 0;
    const short = await muxVideo("mp4", { seconds: 0.3 });
    const wide = await muxVideo("mp4", { width: 1280, height: 320 });
    const ids = [
      await upload(short, "video/mp4", "tweet_video"),
      await upload(wide, "video/mp4", "tweet_video"),
      await upload(await muxVideo("webm"), "video/mp4", "tweet_video"),
    ];
    x.faults.failProcessing = 1;
    ids.push(await upload(video, "video/mp4", "tweet_video"));
    for (const id of ids) {
      assert.equal((await readStatus(id))["processing_info"].state, "failed");
      await expectInvalid(publish(attach(id)), "Your media IDs are invalid.");
    }
  });

  test("publishes a GIF alone, not with images or a video", async () => {
    x.settings.processing.polls = 0;
    const gifId = await upload(await gif(), "image/gif", "tweet_gif");
    const videoId = await upload(video, "video/mp4", "amplify_video");
    await Promise.all([readStatus(gifId), readStatus(videoId)]);
    const imageId = await uploadImage(await jpeg());
    for (const ids of [
      [gifId, imageId],
      [videoId, imageId],
      [gifId, videoId],
    ])
      await expectInvalid(publish(attach(...ids)), "Your media IDs are invalid.");
    assert.equal((await publish(attach(gifId))).status, 201);
  });

  test("rejects uploads of wrong type, size or category", async () => {
    const size = 1000;
    await expectInvalid(initialize({ media_type: "application/pdf", total_bytes: size }), /media_type/);
    await expectInvalid(initialize({ media_type: "image/png" }), /total_bytes/);
    await expectInvalid(initialize({ media_type: "image/png", total_bytes: 5_000_001 }), /file size/);
    await expectInvalid(initialize({ media_type: "image/gif", total_bytes: 15_000_001 }), /file size/);
    await expectInvalid(initialize({ media_type: "video/mp4", total_bytes: 512_000_001 }), /file size/);
    const mismatch = { media_type: "video/mp4", total_bytes: size, media_category: "tweet_image" };
    await expectInvalid(initialize(mismatch), /media_category/);
    await expectInvalid(initialize({ command: "INIT", media_type: "image/png", total_bytes: size }), /not a field/);
  });

  test("rejects wrong segments and an incomplete upload", async () => {
    const { json } = await initialize({ media_type: "video/mp4", total_bytes: video.length });
    const id = json["data"].id as string;
    await expectInvalid(append(id, video.subarray(0, 10), 1000), /segment_index/);
    await expectInvalid(append(id, video.subarray(0, 10), "first"), /segment_index/);
    await expectInvalid(append(id, video.subarray(0, 10), 0, { command: "APPEND" }), /not a field/);
    const tooLarge = await append(id, Buffer.alloc(5 * 1024 * 1024 + 1), 0);
    assert.equal(tooLarge.status, 413);
    assert.equal((await append("123", video.subarray(0, 10), 0)).status, 404);
    const half = Math.floor(video.length / 2);
    assert.equal((await append(id, video.subarray(half), 1)).status, 200);
    await expectInvalid(finalize(id), /Segments do not add up/);
    assert.equal((await append(id, video.subarray(1, half), 0)).status, 200);
    await expectInvalid(finalize(id), /Segments do not add up/);
    await expectInvalid(publish(attach(id)), "Your media IDs are invalid.");
    await expectInvalid(get(`/2/media/upload?command=STATUS&media_id=${id}`), /not finalized/);
    // "Failed chunks can be retried individually."
    assert.equal((await append(id, video.subarray(0, half), 0)).status, 200);
    assert.equal((await finalize(id)).json["data"].processing_info.state, "pending");
    await expectInvalid(append(id, video.subarray(0, half), 0), /already finalized/);
  });

  test("rejects bytes that are not the declared image", async () => {
    const bytes = await png();
    const { json } = await initialize({ media_type: "image/jpeg", total_bytes: bytes.length });
    const id = json["data"].id as string;
    await append(id, bytes, 0);
    await expectInvalid(finalize(id), /not a valid image/);
  });

  test("accepts an image in one request, and segments as JSON", async () => {
    const bytes = await png();
    const form = new FormData();
    form.set("media", new Blob([new Uint8Array(bytes)]));
    await expectInvalid(send("POST", "/2/media/upload", form, bearer()), /media_category/);
    form.set("media_category", "tweet_image");
    const { json } = await send("POST", "/2/media/upload", form, bearer());
    const started = await initialize({ media_type: "image/png", total_bytes: bytes.length });
    const id = started.json["data"].id as string;
    const segment = { media: bytes.toString("base64"), segment_index: 0 };
    assert.equal((await post(`/2/media/upload/${id}/append`, segment)).status, 200);
    assert.equal((await finalize(id)).status, 200);
    assert.equal((await publish(attach(json["data"].id as string, id))).status, 201);
    assert.deepEqual(
      x.posts()[0]?.media.map(({ sha256 }) => sha256),
      [hashBytes(bytes), hashBytes(bytes)],
    );
  });

  test("rejects media after they expire", async () => {
    const id = await uploadImage(await jpeg());
    x.advanceClock(86_400_000 + 1);
    await expectInvalid(publish(attach(id)), "Your media IDs are invalid.");
  });

  test("reads posts back with shortened URLs, a link to the media and HTML entities", async () => {
    const id = await uploadImage(await jpeg());
    await post("/2/media/metadata", { id, metadata: { alt_text: { text: "A vase" } } });
    const created = await publish({ text: "Q&A <b> at https://example.com/a", media: { media_ids: [id] } });
    const fields = "tweet.fields=created_at,author_id,attachments,entities";
    const expansions = "expansions=attachments.media_keys&media.fields=type,alt_text";
    const { status, json } = await get(`/2/users/${x.userId}/tweets?${fields}&${expansions}&max_results=5`);
    assert.equal(status, 200);
    const [found] = json["data"] as Json[];
    assert.equal(found!["id"], created.json["data"].id);
    assert.match(
      found!["text"] as string,
      /^Q&amp;A &lt;b&gt; at https:\/\/t\.co\/[0-9a-f]{10} https:\/\/t\.co\/[0-9a-f]{10}$/,
    );
    const urls = found!["entities"].urls as Json[];
    assert.deepEqual(urls[0]!["expanded_url"], "https://example.com/a");
    assert.match(found!["created_at"] as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    const [mediaKey] = found!["attachments"].media_keys as string[];
    assert.deepEqual(json["includes"].media, [{ media_key: mediaKey, type: "photo", alt_text: "A vase" }]);
    assert.equal(x.posts()[0]?.text, "Q&A <b> at https://example.com/a");
  });

  test("pages and filters the timeline, newest first", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.unshift((await publish(`Post ${index}`)).json["data"].id as string);
    const read = async (query: string): Promise<Json> => (await get(`/2/users/${x.userId}/tweets?${query}`)).json;
    const idsOf = (json: Json): string[] => ((json["data"] ?? []) as Json[]).map(({ id }) => id as string);
    const first = await read("max_results=5");
    assert.deepEqual([idsOf(first), first["meta"].result_count], [ids.slice(0, 5), 5]);
    const second = await read(`max_results=5&pagination_token=${first["meta"].next_token}`);
    assert.deepEqual(idsOf(second), ids.slice(5, 10));
    assert.deepEqual(idsOf(await read(`since_id=${ids[2]}`)), ids.slice(0, 2));
    assert.deepEqual(idsOf(await read(`until_id=${ids[9]}`)), ids.slice(10));
    const future = new Date(Date.now() + 60_000).toISOString();
    assert.deepEqual(await read(`start_time=${future}`), { meta: { result_count: 0 } });
    assert.equal(idsOf(await read(`end_time=${future}&max_results=100`)).length, 12);
    await expectInvalid(get(`/2/users/${x.userId}/tweets?max_results=4`), /max_results/);
    await expectInvalid(get(`/2/users/${x.userId}/tweets?limit=5`), /query parameter \[limit\]/);
    await expectInvalid(get(`/2/users/${x.userId}/tweets?start_time=yesterday`), /start_time/);
    const other = await get("/2/users/1/tweets");
    assert.equal(other.json["errors"][0].type, "https://api.x.com/2/problems/resource-not-found");
    x.faults.staleReads = 1;
    assert.deepEqual(idsOf(await read("max_results=5")), ids.slice(1, 6));
    assert.deepEqual(idsOf(await read("max_results=5")), ids.slice(0, 5));
  });

  test("drops the connection after or before publishing", async () => {
    x.faults.dropResponses = 1;
    await assert.rejects(publish("one"));
    assert.equal(x.posts().length, 1);
    assert.equal((await publish("one")).status, 403);
    x.faults.dropRequests = 1;
    await assert.rejects(publish("two"));
    assert.equal(x.posts().length, 1);
  });

  test("responds with 503 and 429 without doing the work", async () => {
    Object.assign(x.faults, { unavailable: 1, rateLimited: 1 });
    const startedAt = Date.now();
    assert.equal((await publish("one")).status, 503);
    const { status, headers, json } = await publish("one");
    assert.deepEqual([status, json], [429, { errors: [{ code: 88, message: "Rate limit exceeded" }] }]);
    assert.equal(headers.get("x-rate-limit-remaining"), "0");
    assert.ok(Number(headers.get("x-rate-limit-reset")) * 1000 >= startedAt);
    assert.deepEqual(x.posts(), []);
    Object.assign(x.faults, { unavailableUploads: 1, rateLimitedUploads: 1 });
    const start = () => initialize({ media_type: "image/png", total_bytes: 1 });
    assert.deepEqual([(await start()).status, (await start()).status, (await start()).status], [503, 429, 200]);
  });

  test("limits the requests of a user per 15 minutes", async () => {
    x.settings.rateLimits["POST /2/tweets"] = 2;
    assert.equal((await publish("one")).status, 201);
    assert.equal((await publish("two")).headers.get("x-rate-limit-remaining"), "0");
    assert.equal((await publish("three")).status, 429);
    assert.equal(x.posts().length, 2);
    x.advanceClock(15 * 60 * 1000);
    assert.equal((await publish("three")).status, 201);
  });

  test("returns the signed-in user", async () => {
    const { json } = await get("/2/users/me");
    assert.deepEqual(json["data"], { id: x.userId, name: "Atelier", username: x.username });
  });
});
