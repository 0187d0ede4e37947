import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, test } from "node:test";
import { days } from "#lib/clock.ts";
import { startX, type XStandIn } from "../servers/x/server.ts";
import { findUrls, weighText } from "../servers/x/text.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import { gif, jpeg, png } from "../support/samples.ts";

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
  let clock: TestClock;
  let video: Buffer;
  before(async () => {
    video = await muxVideo("mp4", { seconds: 2 });
  });
  beforeEach(async () => {
    clock = createTestClock();
    x = await startX(clock);
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

  async function upload(bytes: Buffer, type: string, category: string): Promise<string> {
    const { json } = await initialize({ media_type: type, total_bytes: bytes.length, media_category: category });
    const id = json["data"].id as string;
    assert.equal((await append(id, bytes, 0)).status, 200);
    assert.equal((await finalize(id)).status, 200);
    return id;
  }
  const uploadImage = async (): Promise<string> => upload(await jpeg(), "image/jpeg", "tweet_image");
  const attach = (...ids: string[]): Json => ({ text: `With ${ids.length}`, media: { media_ids: ids } });

  async function expectInvalid(response: Promise<Result>, message: RegExp | string): Promise<void> {
    const { status, json } = await response;
    assert.deepEqual([status, json["type"]], [400, "https://api.x.com/2/problems/invalid-request"], message.toString());
    const text = json["errors"][0].message as string;
    assert.ok(typeof message === "string" ? text === message : message.test(text), text);
  }

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

  test("rejects unknown fields, empty posts, other content types, long texts and duplicates", async () => {
    const rejected: [body: Json | string, message: RegExp][] = [
      [{ status: "x" }, /not a field/],
      [{ text: "x", poll: {} }, /not a field/],
      [{ text: "x", reply_settings: "everyone" }, /reply_settings/],
      [{ text: "x", reply: { in_reply_to_tweet_id: 1 } }, /in_reply_to_tweet_id/],
      [{ text: "x", reply_settings: "following", reply: { in_reply_to_tweet_id: "1" } }, /with a reply/],
      [{ text: "x", made_with_ai: "true" }, /made_with_ai/],
      [{}, /required/],
      [{ text: 1 }, /string/],
      ["a\uFFFEb", /invalid characters/],
      ["$AAPL and $MSFT", /cashtag/],
      ["a".repeat(281), /^Your Tweet text is too long\./],
      ["世".repeat(141), /too long/],
    ];
    for (const [body, message] of rejected) await expectInvalid(publish(body), message);
    const textHeaders = { ...bearer(), "content-type": "text/plain" };
    await expectInvalid(post("/2/tweets", { text: "x" }, textHeaders), /content type/);
    assert.deepEqual(x.posts(), []);
    for (const text of ["a".repeat(280), `${"a".repeat(256)} https://example.com/${"b".repeat(300)}`, "$AAPL"])
      assert.equal((await publish(text)).status, 201);
    const { status, json } = await publish("$AAPL");
    const detail = "You are not allowed to create a Tweet with duplicate content.";
    assert.deepEqual([status, json], [403, { detail, type: "about:blank", title: "Forbidden", status: 403 }]);
    assert.equal(x.posts().length, 3);
  });

  test("rejects media that are not processed, expired, unknown, too many or mixed", async () => {
    const videoId = await upload(video, "video/mp4", "tweet_video");
    await expectInvalid(publish(attach(videoId)), "Your media IDs are invalid.");
    const states = [await readStatus(videoId), await readStatus(videoId)];
    assert.deepEqual(
      states.map(({ processing_info: info }) => info as Json),
      [
        { state: "in_progress", check_after_secs: 1 },
        { state: "succeeded", progress_percent: 100 },
      ],
    );
    x.settings.processingPolls = 0;
    const gifId = await upload(await gif(), "image/gif", "tweet_gif");
    await readStatus(gifId);
    const imageId = await uploadImage();
    for (const ids of [["1"], [gifId, imageId], [videoId, imageId], [gifId, videoId]])
      await expectInvalid(publish(attach(...ids)), "Your media IDs are invalid.");
    await expectInvalid(publish(attach(imageId, imageId, imageId, imageId, imageId)), /1 to 4/);
    const longText = { id: imageId, metadata: { alt_text: { text: "a".repeat(1001) } } };
    await expectInvalid(post("/2/media/metadata", longText), /1000/);
    clock.advance(days(1) + 1);
    await expectInvalid(publish(attach(imageId)), "Your media IDs are invalid.");
  });

  test("fails to process videos that are too short, too wide or of another type, and if a test injects the fault", async () => {
    x.settings.processingPolls = 0;
    const videos = [
      await muxVideo("mp4", { seconds: 0.3 }),
      await muxVideo("mp4", { width: 1280, height: 320 }),
      await muxVideo("webm"),
    ];
    const ids: string[] = [];
    for (const bytes of videos) ids.push(await upload(bytes, "video/mp4", "tweet_video"));
    x.faults.failProcessing = 1;
    ids.push(await upload(video, "video/mp4", "tweet_video"));
    for (const id of ids) {
      assert.equal((await readStatus(id))["processing_info"].state, "failed");
      await expectInvalid(publish(attach(id)), "Your media IDs are invalid.");
    }
  });

  test("rejects uploads of wrong type, size or category", async () => {
    const rejected: [request: Json, message: RegExp][] = [
      [{ media_type: "application/pdf", total_bytes: 1000 }, /media_type/],
      [{ media_type: "image/png" }, /total_bytes/],
      [{ media_type: "image/png", total_bytes: 5_000_001 }, /file size/],
      [{ media_type: "image/gif", total_bytes: 15_000_001 }, /file size/],
      [{ media_type: "video/mp4", total_bytes: 512_000_001 }, /file size/],
      [{ media_type: "video/mp4", total_bytes: 1000, media_category: "tweet_image" }, /media_category/],
      [{ command: "INIT", media_type: "image/png", total_bytes: 1000 }, /not a field/],
    ];
    for (const [request, message] of rejected) await expectInvalid(initialize(request), message);
    const form = new FormData();
    form.set("media", new Blob([new Uint8Array(await png())]));
    await expectInvalid(send("POST", "/2/media/upload", form, bearer()), /media_category/);
  });

  test("rejects wrong segments, an incomplete upload and bytes that are not the declared image", async () => {
    const { json } = await initialize({ media_type: "video/mp4", total_bytes: video.length });
    const id = json["data"].id as string;
    await expectInvalid(append(id, video.subarray(0, 10), 1000), /segment_index/);
    await expectInvalid(append(id, video.subarray(0, 10), "first"), /segment_index/);
    await expectInvalid(append(id, video.subarray(0, 10), 0, { command: "APPEND" }), /not a field/);
    assert.equal((await append(id, Buffer.alloc(5 * 1024 * 1024 + 1), 0)).status, 413);
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

    const bytes = await png();
    const image = await initialize({ media_type: "image/jpeg", total_bytes: bytes.length });
    const imageId = image.json["data"].id as string;
    await append(imageId, bytes, 0);
    await expectInvalid(finalize(imageId), /not a valid image/);
  });
});
