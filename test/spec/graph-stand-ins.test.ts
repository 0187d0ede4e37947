import assert from "node:assert/strict";
import { before, beforeEach, afterEach, suite, test } from "node:test";
import { days } from "#lib/clock.ts";
import { startFacebook, type Facebook } from "../servers/facebook.ts";
import type { ContainerStandIn } from "../servers/graph-containers.ts";
import { startInstagram } from "../servers/instagram.ts";
import { startThreads } from "../servers/threads.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { createGraphClient, toErrorCode, type GraphClient, type GraphResult } from "../support/graph-client.ts";
import { startMediaHost } from "../support/media-host.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import * as sample from "../support/samples.ts";
import { startForSuite } from "../support/start-for-suite.ts";

/** The tests of publishing show that the stand-ins accept what is documented. These show what they reject. */

type Params = Record<string, string>;

const host = startForSuite(() => startMediaHost());
let clock: TestClock;
let client: GraphClient;
let imageUrl: string;
let videoUrl: string;
const largeFile = async (bytes: number) => Buffer.concat([await sample.jpeg(400, 400), Buffer.alloc(bytes)]);

before(async () => {
  imageUrl = host.add("image.jpg", await sample.jpeg(400, 400));
  videoUrl = host.add("video.mp4", await muxVideo("mp4", { width: 720, height: 1280, seconds: 4, frameRate: 30 }));
});

suite("the stand-in for Facebook Pages", () => {
  let facebook: Facebook;
  beforeEach(async () => {
    clock = createTestClock();
    facebook = await startFacebook(clock);
    client = createGraphClient(`${facebook.origin}/v25.0`, () => facebook.accessToken);
  });
  afterEach(() => facebook.close());

  const post = (edge: string, params: Params) => client.post(`/${facebook.page.id}/${edge}`, params);
  const uploadPhoto = (bytes: Buffer, params: Params = { published: "false" }): Promise<GraphResult> =>
    client.upload(`/${facebook.page.id}/photos`, params, bytes);
  const attach = (id: string): Params => ({
    message: "With a photo",
    "attached_media[0]": JSON.stringify({ media_fbid: id }),
  });

  test("rejects wrong parameters and tokens", async () => {
    const wrongParams: [edge: string, params: Params, code: string][] = [
      ["feed", {}, "100"],
      ["feed", attach("1"), "100"],
      ["feed", { message: "x", "attached_media[1]": JSON.stringify({ media_fbid: "1" }) }, "100"],
      ["feed", { message: "x", "attached_media[0]": "1" }, "100"],
      ["feed", { message: "x", text: "y" }, "100"],
      ["photos", { published: "false" }, "324"],
      ["photos", { published: "true" }, "100"],
      ["photos", { published: "false", alt_text: "x" }, "100"],
      ["videos", { description: "No video" }, "389"],
      ["videos", { file_url: host.missingUrl }, "389"],
      ["videos", { file_url: imageUrl }, "6000"],
      ["videos", { file_url: videoUrl, title: "x" }, "100"],
      ["reels", {}, "100"],
    ];
    for (const [edge, params, code] of wrongParams)
      assert.equal(toErrorCode(await post(edge, params)), code, JSON.stringify([edge, params]));
    for (const params of [{ limit: "101" }, { fields: "text" }, { since: "1" }] as Params[]) {
      await post("feed", { message: JSON.stringify(params) });
      assert.equal(toErrorCode(await client.get(`/${facebook.page.id}/feed`, params)), "100");
    }
    assert.equal(facebook.posts().length, 3);
    facebook.expireAccessToken();
    assert.equal(toErrorCode(await post("feed", { message: "Late" })), "190/463");
    facebook.accessToken = "unknown";
    assert.equal(toErrorCode(await post("feed", { message: "Unknown" })), "190");
  });

  test("rejects photos that break the specifications, and deletes unpublished photos after 24 hours", async () => {
    const files = [await sample.webp(), (await sample.jpeg(400, 300)).subarray(0, 300), Buffer.from("not an image")];
    for (const bytes of [...files, sample.manyFrameGif(3), await largeFile(10 * 1024 * 1024)])
      assert.equal(toErrorCode(await uploadPhoto(bytes)), "324");
    const { id } = (await uploadPhoto(await sample.jpeg())).body;
    clock.advance(days(1));
    assert.equal(toErrorCode(await post("feed", attach(id))), "100");
    assert.equal(facebook.posts().length, 0);
  });
});

interface ContainerRules {
  start: typeof startInstagram;
  statusField: string;
  edges: { containers: string; publish: string };
  image: Params;
  /** Containers that are rejected at once, with the code of the error. */
  rejected: () => Promise<[params: Params, code: string][]>;
  /** Media that make the container fail later, with its error. */
  failing: () => Promise<[params: Params, error: string][]>;
  errors: { notReady: string; unknownChild: string; childCount: string; expired: string; quota: string };
}

const containerRules: Record<string, ContainerRules> = {
  Instagram: {
    start: startInstagram,
    statusField: "status_code",
    edges: { containers: "media", publish: "media_publish" },
    image: {},
    async rejected() {
      const images: [name: string, bytes: Buffer, code: string][] = [
        ["image.png", await sample.png(400, 400), "36001/2207005"],
        ["wide.jpg", await sample.jpeg(400, 200), "36003/2207009"],
        ["tall.jpg", await sample.jpeg(400, 501), "36003/2207009"],
        ["large.jpg", await largeFile(8 * 1024 * 1024), "36000/2207004"],
        ["truncated.jpg", (await sample.jpeg(400, 400)).subarray(0, 300), "36001/2207005"],
      ];
      return [
        ...images.map(([name, bytes, code]): [Params, string] => [{ image_url: host.add(name, bytes) }, code]),
        [{ image_url: host.missingUrl }, "9004/2207052"],
        [{}, "100"],
        [{ video_url: videoUrl }, "100"],
        [{ media_type: "VIDEO", video_url: videoUrl }, "100/2207023"],
        [{ media_type: "REELS", video_url: videoUrl, is_carousel_item: "true" }, "100"],
        [{ media_type: "REELS", video_url: videoUrl, alt_text: "A reel" }, "100"],
        [{ image_url: imageUrl, is_carousel_item: "true", caption: "x" }, "100"],
        [{ image_url: imageUrl, share_to_feed: "true" }, "100"],
        [{ image_url: imageUrl, thumb_offset: "1000" }, "100"],
        [{ media_type: "REELS", video_url: videoUrl, thumb_offset: "1.5" }, "100"],
        [{ image_url: imageUrl, collaborators: '["a","b","c","d"]' }, "100"],
        [{ image_url: imageUrl, collaborators: '["@ada"]' }, "100"],
        [{ image_url: imageUrl, is_carousel_item: "true", collaborators: '["ada"]' }, "100"],
        [{ image_url: imageUrl, caption: "x".repeat(2201) }, "36004/2207010"],
        [{ image_url: imageUrl, caption: "#a ".repeat(31) }, "36004/2207010"],
        [{ image_url: imageUrl, caption: "@a ".repeat(21) }, "100/2207040"],
        [{ image_url: imageUrl, alt_text: "x".repeat(1001) }, "100"],
        [{ image_url: imageUrl, altText: "x" }, "100"],
      ];
    },
    async failing() {
      const reel = (url: string): Params => ({ media_type: "REELS", video_url: url });
      const videos = [
        await muxVideo("mp4", { seconds: 2, frameRate: 30 }),
        await muxVideo("mp4", { seconds: 4, frameRate: 10 }),
        await muxVideo("mp4, moov last", { seconds: 4, frameRate: 30 }),
      ];
      const urls = [...videos.map((bytes, i) => host.add(`reel-${i}.mp4`, bytes)), imageUrl];
      return [...urls.map((url): [Params, string] => [reel(url), "2207026"]), [reel(host.missingUrl), "2207052"]];
    },
    errors: {
      notReady: "9007/2207027",
      unknownChild: "24/2207008",
      childCount: "100/2207028",
      expired: "-2/2207020",
      quota: "9/2207042",
    },
  },
  Threads: {
    start: startThreads,
    statusField: "status",
    edges: { containers: "threads", publish: "threads_publish" },
    image: { media_type: "IMAGE" },
    async rejected() {
      const wrongParams: Params[] = [
        { text: "No type" },
        { media_type: "TEXT" },
        { media_type: "IMAGE", text: "No URL" },
        { media_type: "TEXT", text: "x", image_url: imageUrl },
        { media_type: "TEXT", text: "x".repeat(501) },
        { media_type: "TEXT", text: "👍".repeat(126) },
        { media_type: "TEXT", text: "x", alt_text: "No media" },
        { media_type: "TEXT", text: "x", is_carousel_item: "true" },
        { media_type: "IMAGE", image_url: imageUrl, alt_text: "x".repeat(1001) },
        { media_type: "IMAGE", image_url: imageUrl, altText: "x" },
        { media_type: "TEXT", text: "x", reply_control: "no_one" },
        { media_type: "TEXT", text: "x", reply_to_id: "1" },
        { media_type: "TEXT", text: "x", topic_tag: "Arts & crafts" },
        { media_type: "TEXT", text: "x", topic_tag: "x".repeat(51) },
        { media_type: "TEXT", text: "1 2 3 4 5 6".replaceAll(/\d/g, "https://example.com/$&") },
      ];
      return wrongParams.map((params) => [params, "100"]);
    },
    async failing() {
      const videos: [video: Buffer, error: string][] = [
        [await muxVideo("mp4", { frameRate: 10 }), "INVALID_FRAME_RATE"],
        [await muxVideo("mp4", { frameRate: 30, seconds: 301, hasAudio: false }), "INVALID_DURATION"],
        [await muxVideo("mp4", { frameRate: 30, width: 1100, height: 100 }), "INVALID_ASPEC_RATIO"],
        [await muxVideo("webm", { frameRate: 30 }), "FAILED_PROCESSING_VIDEO"],
      ];
      const images = [await sample.webp(400, 400), await sample.png(1100, 100), await largeFile(8 * 1024 * 1024)];
      return [
        ...videos.map(([bytes, error], i): [Params, string] => [
          { media_type: "VIDEO", video_url: host.add(`video-${i}`, bytes) },
          error,
        ]),
        ...images.map((bytes, i): [Params, string] => [
          { media_type: "IMAGE", image_url: host.add(`image-${i}`, bytes) },
          "UNKNOWN",
        ]),
        [{ media_type: "VIDEO", video_url: host.missingUrl }, "FAILED_DOWNLOADING_VIDEO"],
      ];
    },
    errors: { notReady: "100", unknownChild: "100", childCount: "100", expired: "100", quota: "613" },
  },
};

for (const [name, { start, statusField, edges, image, rejected, failing, errors }] of Object.entries(containerRules))
  suite(`the stand-in for ${name}`, () => {
    let standIn: ContainerStandIn;
    beforeEach(async () => {
      clock = createTestClock();
      standIn = await start(clock);
      Object.assign(standIn.processingPolls, { image: 0, video: 0 });
      client = createGraphClient(standIn.origin, () => standIn.accessToken);
    });
    afterEach(() => standIn.close());

    const create = (params: Params) => client.post(`/${standIn.account.id}/${edges.containers}`, params);
    const createImage = async (params: Params = {}): Promise<string> =>
      (await create({ ...image, image_url: imageUrl, ...params })).body.id;
    const publish = (id: string) => client.post(`/${standIn.account.id}/${edges.publish}`, { creation_id: id });
    const readStatus = async (id: string) => (await client.get(`/${id}`, { fields: statusField })).body[statusField];

    test("rejects wrong parameters, carousels and tokens", async () => {
      for (const [params, code] of await rejected())
        assert.equal(toErrorCode(await create(params)), code, JSON.stringify(params));
      const item = await createImage({ is_carousel_item: "true" });
      const createCarousel = async (...ids: string[]) =>
        toErrorCode(await create({ media_type: "CAROUSEL", children: ids.join(",") }));
      assert.equal(await createCarousel(item), errors.childCount);
      assert.equal(await createCarousel(...Array.from({ length: 21 }, () => item)), errors.childCount);
      assert.equal(await createCarousel("1", "2"), errors.unknownChild);
      assert.equal(await createCarousel(item, await createImage()), "100");
      assert.equal(toErrorCode(await publish(item)), "100");
      assert.equal(toErrorCode(await publish("1")), errors.unknownChild);
      standIn.expireAccessToken();
      assert.equal(toErrorCode(await publish(item)), "190/463");
      assert.equal(standIn.posts().length, 0);
    });

    test("reports rejected media in the status of the container", async () => {
      for (const [params, error] of await failing()) {
        const { id } = (await create(params)).body;
        assert.notEqual((await publish(id)).status, 200);
        const { body } = await client.get(`/${id}`, { fields: name === "Threads" ? "status,error_message" : "status" });
        assert.equal(name === "Threads" ? body["error_message"] : body["status"], error, JSON.stringify(params));
        assert.equal(await readStatus(id), "ERROR");
      }
    });

    test("publishes a container only once it is finished, for 24 hours, and again if a client repeats the request", async () => {
      standIn.processingPolls.image = 1;
      const id = await createImage();
      assert.equal(toErrorCode(await publish(id)), errors.notReady);
      assert.deepEqual([await readStatus(id), await readStatus(id)], ["IN_PROGRESS", "FINISHED"]);
      const { body } = await publish(id);
      assert.equal(await readStatus(id), "PUBLISHED");
      assert.equal(standIn.posts()[0]?.id, body.id);
      await publish(id);
      assert.equal(standIn.posts().length, 2);
      const late = await createImage();
      clock.advance(days(1));
      assert.equal(await readStatus(late), "EXPIRED");
      assert.equal(toErrorCode(await publish(late)), errors.expired);
    });

    test("enforces the publishing quota over 24 hours", async () => {
      standIn.quotaTotal = 1;
      await publish(await createImage());
      const second = await createImage();
      assert.equal(toErrorCode(await publish(second)), errors.quota);
      clock.advance(days(1) - 1);
      assert.equal(toErrorCode(await publish(second)), errors.quota);
      clock.advance(1);
      assert.equal((await publish(await createImage())).status, 200);
    });
  });
