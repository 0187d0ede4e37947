import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, before, beforeEach, suite, test } from "node:test";
import { startInstagram, type Instagram } from "../servers/instagram.ts";
import { createGraphClient, toErrorCode, type GraphClient } from "../support/graph-client.ts";
import { startMediaHost, type MediaHost } from "../support/media-host.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import * as sample from "../support/samples.ts";

suite("the stand-in for Instagram", () => {
  let host: MediaHost;
  let instagram: Instagram;
  let client: GraphClient;
  let photo: Buffer;
  let photoUrl: string;
  let videoUrl: string;

  before(async () => {
    host = await startMediaHost();
    photo = await sample.jpeg(400, 400);
    photoUrl = host.add("photo.jpg", photo, "image/jpeg");
    videoUrl = host.add("reel.mp4", await muxVideo("mp4", { width: 720, height: 1280, seconds: 4, frameRate: 30 }));
  });
  after(() => host.close());
  beforeEach(async () => {
    instagram = await startInstagram();
    client = createGraphClient(`${instagram.origin}/v25.0`, () => instagram.accessToken);
  });
  afterEach(() => instagram.close());

  const create = (params: Record<string, string>) => client.post(`/${instagram.account.id}/media`, params);
  const publish = (id: string) => client.post(`/${instagram.account.id}/media_publish`, { creation_id: id });
  const readStatus = async (id: string) => (await client.get(`/${id}`, { fields: "status_code,status" })).body;

  test("publishes an image with caption and alt text", async () => {
    const container = await create({ image_url: photoUrl, caption: "Fruit #candies", alt_text: "A bowl" });
    const { body } = await publish(container.body.id);
    const [post, ...others] = instagram.posts();
    assert.equal(others.length, 0);
    assert.equal(post?.id, body.id);
    assert.equal(post?.text, "Fruit #candies");
    const sha256 = createHash("sha256").update(photo).digest("hex");
    assert.deepEqual(post?.media, [{ mimeType: "image/jpeg", size: photo.length, sha256, altText: "A bowl" }]);
    assert.equal((await readStatus(container.body.id))["status_code"], "PUBLISHED");
    const list = await client.get(`/${instagram.account.id}/media`, { fields: "id,caption,permalink,timestamp" });
    assert.equal(list.body.data[0]?.["caption"], "Fruit #candies");
    assert.equal(list.body.data[0]?.["permalink"], post?.url);
  });

  test("publishes a reel only after its container is finished", async () => {
    instagram.processingPolls.video = 2;
    const { id } = (await create({ media_type: "REELS", video_url: videoUrl, caption: "A reel" })).body;
    assert.equal(toErrorCode(await publish(id)), "9007/2207027");
    assert.equal((await readStatus(id))["status_code"], "IN_PROGRESS");
    assert.equal((await readStatus(id))["status_code"], "IN_PROGRESS");
    assert.equal((await readStatus(id))["status_code"], "FINISHED");
    assert.equal((await publish(id)).status, 200);
    assert.equal(instagram.posts()[0]?.media[0]?.mimeType, "video/mp4");
  });

  test("publishes a carousel of images and videos in order", async () => {
    const image = await create({ image_url: photoUrl, is_carousel_item: "true", alt_text: "First" });
    const video = await create({ media_type: "VIDEO", video_url: videoUrl, is_carousel_item: "true" });
    const children = `${image.body.id},${video.body.id}`;
    const { id } = (await create({ media_type: "CAROUSEL", children, caption: "Both" })).body;
    assert.equal((await readStatus(id))["status_code"], "IN_PROGRESS");
    assert.equal((await readStatus(id))["status_code"], "FINISHED");
    await publish(id);
    const [post] = instagram.posts();
    assert.deepEqual(
      post?.media.map(({ mimeType, altText }) => [mimeType, altText]),
      [
        ["image/jpeg", "First"],
        ["video/mp4", null],
      ],
    );
    assert.equal(toErrorCode(await publish(image.body.id)), "100");
  });

  test("rejects images that break the specifications", async () => {
    const reject = async (name: string, bytes: Buffer): Promise<string> =>
      toErrorCode(await create({ image_url: host.add(name, bytes) }));
    assert.equal(await reject("image.png", await sample.png(400, 400)), "36001/2207005");
    assert.equal(await reject("wide.jpg", await sample.jpeg(400, 200)), "36003/2207009");
    assert.equal(await reject("tall.jpg", await sample.jpeg(400, 501)), "36003/2207009");
    assert.equal(await reject("large.jpg", Buffer.concat([photo, Buffer.alloc(8 * 1024 * 1024)])), "36000/2207004");
    assert.equal(await reject("truncated.jpg", photo.subarray(0, 300)), "36001/2207005");
    assert.equal(toErrorCode(await create({ image_url: host.missingUrl })), "9004/2207052");
  });

  test("reports an invalid video in the status of its container", async () => {
    instagram.processingPolls.video = 0;
    const statusOf = async (url: string): Promise<unknown[]> => {
      const { id } = (await create({ media_type: "REELS", video_url: url })).body;
      const { status_code: code, status } = await readStatus(id);
      assert.notEqual((await publish(id)).status, 200);
      return [code, status];
    };
    const short = host.add("short.mp4", await muxVideo("mp4", { seconds: 2, frameRate: 30 }));
    const slow = host.add("slow.mp4", await muxVideo("mp4", { seconds: 4, frameRate: 10 }));
    const unordered = host.add("late.mp4", await muxVideo("mp4, moov last", { seconds: 4, frameRate: 30 }));
    for (const url of [short, slow, unordered, photoUrl]) assert.deepEqual(await statusOf(url), ["ERROR", "2207026"]);
    assert.deepEqual(await statusOf(host.missingUrl), ["ERROR", "2207052"]);
    instagram.faults.failProcessing = 1;
    assert.deepEqual(await statusOf(videoUrl), ["ERROR", "2207053"]);
  });

  test("rejects wrong parameters", async () => {
    assert.equal(toErrorCode(await create({})), "100");
    assert.equal(toErrorCode(await create({ video_url: videoUrl })), "100");
    assert.equal(toErrorCode(await create({ media_type: "VIDEO", video_url: videoUrl })), "100/2207023");
    assert.equal(
      toErrorCode(await create({ media_type: "REELS", video_url: videoUrl, is_carousel_item: "true" })),
      "100",
    );
    assert.equal(toErrorCode(await create({ media_type: "REELS", video_url: videoUrl, alt_text: "A reel" })), "100");
    assert.equal(toErrorCode(await create({ image_url: photoUrl, is_carousel_item: "true", caption: "x" })), "100");
    assert.equal(toErrorCode(await create({ image_url: photoUrl, caption: "x".repeat(2201) })), "36004/2207010");
    assert.equal(toErrorCode(await create({ image_url: photoUrl, caption: "#a ".repeat(31) })), "36004/2207010");
    assert.equal(toErrorCode(await create({ image_url: photoUrl, caption: "@a ".repeat(21) })), "100/2207040");
    assert.equal(toErrorCode(await create({ image_url: photoUrl, alt_text: "x".repeat(1001) })), "100");
    assert.equal(toErrorCode(await create({ image_url: photoUrl, altText: "x" })), "100");
    const item = await create({ image_url: photoUrl, is_carousel_item: "true" });
    assert.equal(toErrorCode(await create({ media_type: "CAROUSEL", children: item.body.id })), "100/2207028");
    assert.equal(toErrorCode(await create({ media_type: "CAROUSEL", children: "1,2" })), "24/2207008");
    assert.equal(toErrorCode(await publish("1")), "24/2207008");
    assert.equal(instagram.posts().length, 0);
  });

  test("expires containers after 24 hours", async () => {
    const { id } = (await create({ image_url: photoUrl })).body;
    instagram.advanceTime(24 * 3_600_000);
    assert.equal((await readStatus(id))["status_code"], "EXPIRED");
    assert.equal(toErrorCode(await publish(id)), "-2/2207020");
  });

  test("enforces the publishing quota over 24 hours", async () => {
    instagram.quotaTotal = 1;
    const readQuota = async (): Promise<unknown> => {
      const path = `/${instagram.account.id}/content_publishing_limit`;
      return (await client.get(path, { fields: "quota_usage,config" })).body.data;
    };
    const config = { quota_total: 1, quota_duration: 86_400 };
    assert.deepEqual(await readQuota(), [{ quota_usage: 0, config }]);
    await publish((await create({ image_url: photoUrl })).body.id);
    assert.deepEqual(await readQuota(), [{ quota_usage: 1, config }]);
    const second = (await create({ image_url: photoUrl })).body.id;
    assert.equal(toErrorCode(await publish(second)), "9/2207042");
    instagram.advanceTime(23 * 3_600_000);
    assert.equal(toErrorCode(await publish(second)), "9/2207042");
    instagram.advanceTime(3_600_000);
    assert.equal((await publish((await create({ image_url: photoUrl })).body.id)).status, 200);
  });

  test("rejects expired and unknown tokens, and refreshes a token that is a day old", async () => {
    const refresh = () => client.get("/refresh_access_token", { grant_type: "ig_refresh_token" });
    assert.equal(toErrorCode(await refresh()), "100");
    instagram.advanceTime(24 * 3_600_000);
    const { body } = await refresh();
    assert.notEqual(body["access_token"], instagram.accessToken);
    instagram.expireAccessToken();
    const expired = await create({ image_url: photoUrl });
    assert.equal(toErrorCode(expired), "190/463");
    assert.equal(expired.body.error.type, "OAuthException");
    assert.equal(toErrorCode(await refresh()), "190/463");
    instagram.accessToken = "unknown";
    assert.equal(toErrorCode(await create({ image_url: photoUrl })), "190");
    instagram.issueAccessToken();
    assert.equal((await create({ image_url: photoUrl })).status, 200);
  });

  test("injects faults: publishes and drops the response, or drops the request", async () => {
    const { id } = (await create({ image_url: photoUrl })).body;
    instagram.faults.dropPublishRequests = 1;
    await assert.rejects(publish(id));
    assert.equal(instagram.posts().length, 0);
    instagram.faults.dropPublishResponses = 1;
    await assert.rejects(publish(id));
    assert.equal(instagram.posts().length, 1);
    assert.equal((await readStatus(id))["status_code"], "PUBLISHED");
    assert.equal((await publish(id)).status, 200);
    assert.equal(instagram.posts().length, 2, "a repeated request makes a duplicate");
    assert.deepEqual(
      instagram.requests.filter(({ path }) => path.endsWith("media_publish")).map(({ status }) => status),
      [undefined, undefined, 200],
    );
  });

  test("is unavailable or rejects requests with a rate limit, without publishing", async () => {
    const { id } = (await create({ image_url: photoUrl })).body;
    instagram.faults.unavailablePublishes = 1;
    const unavailable = await publish(id);
    assert.deepEqual([unavailable.status, toErrorCode(unavailable)], [503, "2"]);
    instagram.faults.rateLimitedRequests = 1;
    instagram.rateLimit.minutes = 7;
    const limited = await publish(id);
    assert.deepEqual([limited.status, toErrorCode(limited)], [400, "80002"]);
    assert.equal(JSON.parse(limited.headers.get("x-app-usage") ?? "").call_count, 100);
    const usage = JSON.parse(limited.headers.get("x-business-use-case-usage") ?? "");
    assert.equal(usage[instagram.account.id][0].estimated_time_to_regain_access, 7);
    assert.equal(instagram.posts().length, 0);
    assert.equal((await publish(id)).status, 200);
  });
});
