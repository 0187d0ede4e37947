import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, before, beforeEach, suite, test } from "node:test";
import { startThreads, type Threads } from "../servers/threads.ts";
import { createGraphClient, toErrorCode, type GraphClient } from "../support/graph-client.ts";
import { startMediaHost, type MediaHost } from "../support/media-host.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import * as sample from "../support/samples.ts";

suite("the stand-in for Threads", () => {
  let host: MediaHost;
  let threads: Threads;
  let client: GraphClient;
  let photo: Buffer;
  let photoUrl: string;
  let videoUrl: string;

  before(async () => {
    host = await startMediaHost();
    photo = await sample.png(400, 300);
    photoUrl = host.add("photo.png", photo, "image/png");
    videoUrl = host.add("video.mp4", await muxVideo("mp4", { seconds: 2, frameRate: 30 }), "video/mp4");
  });
  after(() => host.close());
  beforeEach(async () => {
    threads = await startThreads();
    client = createGraphClient(`${threads.origin}/v1.0`, () => threads.accessToken);
  });
  afterEach(() => threads.close());

  const create = (params: Record<string, string>) => client.post(`/${threads.account.id}/threads`, params);
  const publish = (id: string) => client.post(`/${threads.account.id}/threads_publish`, { creation_id: id });
  const readStatus = async (id: string) => (await client.get(`/${id}`, { fields: "status,error_message" })).body;

  test("publishes text", async () => {
    const { id } = (await create({ media_type: "TEXT", text: "Today is Monday" })).body;
    assert.deepEqual(await readStatus(id), { id, status: "FINISHED" });
    assert.equal(threads.posts().length, 0);
    const { body } = await publish(id);
    assert.deepEqual(await readStatus(id), { id, status: "PUBLISHED" });
    assert.deepEqual(
      threads.posts().map((post) => [post.id, post.text, post.media]),
      [[body.id, "Today is Monday", []]],
    );
    const list = await client.get("/me/threads", { fields: "id,text,permalink,timestamp,media_type", limit: "1" });
    assert.deepEqual(
      list.body.data.map(({ text, media_type }) => [text, media_type]),
      [["Today is Monday", "TEXT_POST"]],
    );
    const media = await client.get(`/${body.id}`, { fields: "permalink" });
    assert.equal(media.body["permalink"], threads.posts()[0]?.url);
  });

  test("publishes text in one request with auto_publish_text", async () => {
    threads.faults.dropPublishResponses = 1;
    await assert.rejects(create({ media_type: "TEXT", text: "At once", auto_publish_text: "true" }));
    assert.equal(threads.posts()[0]?.text, "At once");
    const image = await create({ media_type: "IMAGE", image_url: photoUrl, auto_publish_text: "true" });
    assert.equal(toErrorCode(image), "100");
  });

  test("publishes an image after it is processed", async () => {
    const { id } = (await create({ media_type: "IMAGE", image_url: photoUrl, alt_text: "A vase" })).body;
    assert.equal(toErrorCode(await publish(id)), "100");
    assert.equal((await readStatus(id))["status"], "IN_PROGRESS");
    assert.equal((await readStatus(id))["status"], "FINISHED");
    assert.equal((await publish(id)).status, 200);
    const sha256 = createHash("sha256").update(photo).digest("hex");
    assert.deepEqual(threads.posts()[0]?.media, [
      { mimeType: "image/png", size: photo.length, sha256, altText: "A vase" },
    ]);
  });

  test("publishes a carousel of images and videos in order", async () => {
    const video = await create({ media_type: "VIDEO", video_url: videoUrl, is_carousel_item: "true", alt_text: "One" });
    const image = await create({ media_type: "IMAGE", image_url: photoUrl, is_carousel_item: "true", alt_text: "Two" });
    const children = `${video.body.id},${image.body.id}`;
    const { id } = (await create({ media_type: "CAROUSEL", children, text: "Both" })).body;
    assert.equal((await readStatus(id))["status"], "IN_PROGRESS");
    assert.equal((await readStatus(id))["status"], "FINISHED");
    await publish(id);
    assert.deepEqual(
      threads.posts()[0]?.media.map(({ mimeType, altText }) => [mimeType, altText]),
      [
        ["video/mp4", "One"],
        ["image/png", "Two"],
      ],
    );
    assert.equal(toErrorCode(await publish(image.body.id)), "100");
  });

  test("reports rejected media in the container", async () => {
    Object.assign(threads.processingPolls, { image: 0, video: 0 });
    const errorOf = async (params: Record<string, string>): Promise<unknown> => {
      const { id } = (await create(params)).body;
      const { status, error_message: message } = await readStatus(id);
      assert.equal(status, "ERROR");
      assert.equal(toErrorCode(await publish(id)), "100");
      return message;
    };
    const videoError = async (name: string, video: Buffer): Promise<unknown> =>
      errorOf({ media_type: "VIDEO", video_url: host.add(name, video) });
    const imageError = async (name: string, image: Buffer): Promise<unknown> =>
      errorOf({ media_type: "IMAGE", image_url: host.add(name, image) });
    assert.equal(await videoError("slow.mp4", await muxVideo("mp4", { frameRate: 10 })), "INVALID_FRAME_RATE");
    const long = await muxVideo("mp4", { frameRate: 30, seconds: 301, hasAudio: false });
    assert.equal(await videoError("long.mp4", long), "INVALID_DURATION");
    const thin = await muxVideo("mp4", { frameRate: 30, width: 1100, height: 100 });
    assert.equal(await videoError("thin.mp4", thin), "INVALID_ASPEC_RATIO");
    assert.equal(await videoError("video.webm", await muxVideo("webm", { frameRate: 30 })), "FAILED_PROCESSING_VIDEO");
    assert.equal(await errorOf({ media_type: "VIDEO", video_url: host.missingUrl }), "FAILED_DOWNLOADING_VIDEO");
    assert.equal(await imageError("image.webp", await sample.webp(400, 400)), "UNKNOWN");
    assert.equal(await imageError("thin.png", await sample.png(1100, 100)), "UNKNOWN");
    assert.equal(await imageError("large.png", Buffer.concat([photo, Buffer.alloc(8 * 1024 * 1024)])), "UNKNOWN");
    threads.faults.failProcessing = 1;
    assert.equal(await errorOf({ media_type: "VIDEO", video_url: videoUrl }), "UNKNOWN");
    assert.equal(threads.posts().length, 0);
  });

  test("rejects wrong parameters", async () => {
    const wrong: Record<string, string>[] = [
      { text: "No type" },
      { media_type: "TEXT" },
      { media_type: "IMAGE", text: "No URL" },
      { media_type: "TEXT", text: "x", image_url: photoUrl },
      { media_type: "TEXT", text: "x".repeat(501) },
      { media_type: "TEXT", text: "👍".repeat(126) },
      { media_type: "TEXT", text: "x", alt_text: "No media" },
      { media_type: "IMAGE", image_url: photoUrl, alt_text: "x".repeat(1001) },
      { media_type: "IMAGE", image_url: photoUrl, link_attachment: "https://example.com" },
      { media_type: "TEXT", text: "1 2 3 4 5 6".replaceAll(/\d/g, "https://example.com/$&") },
      { media_type: "TEXT", text: "x", topic_tag: "a.b" },
      { media_type: "TEXT", text: "x", reply_control: "nothing" },
      { media_type: "CAROUSEL", children: "1,2" },
    ];
    for (const params of wrong) assert.equal(toErrorCode(await create(params)), "100", JSON.stringify(params));
    assert.equal((await create({ media_type: "TEXT", text: "x".repeat(500) })).status, 200);
    assert.equal((await create({ media_type: "TEXT", text: "👍".repeat(125) })).status, 200);
    assert.equal((await create({ media_type: "TEXT", text: "é".repeat(500) })).status, 200);
    const item = await create({ media_type: "IMAGE", image_url: photoUrl, is_carousel_item: "true" });
    assert.equal(toErrorCode(await create({ media_type: "CAROUSEL", children: item.body.id })), "100");
    const children = Array.from({ length: 21 }, () => item.body.id).join(",");
    assert.equal(toErrorCode(await create({ media_type: "CAROUSEL", children })), "100");
    const response = await fetch(`${threads.origin}/v25.0/me?access_token=${threads.accessToken}`);
    assert.equal(response.status, 400, "the version is v1.0");
  });

  test("expires containers after 24 hours", async () => {
    const { id } = (await create({ media_type: "TEXT", text: "Late" })).body;
    threads.advanceTime(24 * 3_600_000);
    assert.equal((await readStatus(id))["status"], "EXPIRED");
    assert.equal(toErrorCode(await publish(id)), "100");
  });

  test("enforces the publishing quota", async () => {
    threads.quotaTotal = 1;
    await publish((await create({ media_type: "TEXT", text: "One" })).body.id);
    assert.equal(toErrorCode(await publish((await create({ media_type: "TEXT", text: "Two" })).body.id)), "613");
    const limit = await client.get("/me/threads_publishing_limit", { fields: "quota_usage,config" });
    const config = { quota_total: 1, quota_duration: 86_400 };
    assert.deepEqual(limit.body.data, [{ quota_usage: 1, config }]);
    assert.equal(threads.posts().length, 1);
  });

  test("rejects an expired token, and refreshes a token that is a day old", async () => {
    threads.advanceTime(24 * 3_600_000);
    const refresh = await client.get("/refresh_access_token", { grant_type: "th_refresh_token" });
    assert.equal(typeof refresh.body["access_token"], "string");
    threads.expireAccessToken();
    assert.equal(toErrorCode(await create({ media_type: "TEXT", text: "x" })), "190/463");
  });

  test("injects a fault: publishes and drops the response", async () => {
    const { id } = (await create({ media_type: "TEXT", text: "Once" })).body;
    threads.faults.dropPublishResponses = 1;
    await assert.rejects(publish(id));
    assert.equal((await readStatus(id))["status"], "PUBLISHED");
    assert.equal(threads.posts().length, 1);
    await publish(id);
    assert.equal(threads.posts().length, 2, "a repeated request makes a duplicate");
  });

  test("is unavailable or rejects requests with a rate limit, without publishing", async () => {
    const { id } = (await create({ media_type: "TEXT", text: "x" })).body;
    threads.faults.unavailableRequests = 1;
    assert.equal((await publish(id)).status, 503);
    threads.faults.rateLimitedPublishes = 1;
    threads.rateLimit.status = 429;
    const limited = await publish(id);
    assert.deepEqual([limited.status, toErrorCode(limited)], [429, "4"]);
    assert.equal(threads.posts().length, 0);
  });
});
