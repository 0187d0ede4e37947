import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, afterEach, before, beforeEach, suite, test } from "node:test";
import { startFacebook, type Facebook } from "../servers/facebook.ts";
import {
  createGraphClient,
  toErrorCode,
  readResult,
  type GraphClient,
  type GraphResult,
} from "../support/graph-client.ts";
import { startMediaHost, type MediaHost } from "../support/media-host.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import * as sample from "../support/samples.ts";

suite("the stand-in for Facebook Pages", () => {
  let host: MediaHost;
  let facebook: Facebook;
  let client: GraphClient;
  let photo: Buffer;
  let photoUrl: string;
  let video: Buffer;

  before(async () => {
    host = await startMediaHost();
    photo = await sample.jpeg(400, 300);
    photoUrl = host.add("photo.jpg", photo, "image/jpeg");
    video = await muxVideo("mp4", { seconds: 2, frameRate: 30, frameBytes: 200 });
  });
  after(() => host.close());
  beforeEach(async () => {
    facebook = await startFacebook();
    client = createGraphClient(`${facebook.origin}/v25.0`, () => facebook.accessToken);
  });
  afterEach(() => facebook.close());

  const post = (edge: string, params: Record<string, string>) => client.post(`/${facebook.page.id}/${edge}`, params);

  async function upload(
    edge: string,
    params: Record<string, string>,
    bytes: Buffer,
    name: string,
  ): Promise<GraphResult> {
    const form = new FormData();
    for (const [key, value] of Object.entries({ access_token: facebook.accessToken, ...params })) form.set(key, value);
    form.set(name, new Blob([new Uint8Array(bytes)]), "file");
    return readResult(
      await fetch(`${facebook.origin}/v25.0/${facebook.page.id}/${edge}`, { method: "POST", body: form }),
    );
  }

  test("publishes text and reads it back", async () => {
    const { body } = await post("feed", { message: "Hello fans!" });
    assert.deepEqual(
      facebook.posts().map(({ id, text, media }) => ({ id, text, media })),
      [{ id: body.id, text: "Hello fans!", media: [] }],
    );
    const { data } = (await client.get(`/${facebook.page.id}/feed`)).body;
    assert.deepEqual(Object.keys(data[0] ?? {}).toSorted(), ["created_time", "id", "message"]);
    assert.match(String(data[0]?.["created_time"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
    const read = await client.get(`/${body.id}`, { fields: "permalink_url,is_published" });
    assert.equal(read.body["permalink_url"], `https://www.facebook.com/${body.id}`);
  });

  test("accepts JSON as the documentation shows", async () => {
    const response = await fetch(`${facebook.origin}/v25.0/${facebook.page.id}/feed?fields=permalink_url`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${facebook.accessToken}` },
      body: JSON.stringify({ message: "Hello", link: "https://example.com/", published: true }),
    });
    const { body } = await readResult(response);
    assert.equal(body["permalink_url"], facebook.posts()[0]?.url, "read after write");
    assert.equal(facebook.posts()[0]?.link, "https://example.com/");
  });

  test("publishes several photos with alt text in one post", async () => {
    const first = await upload("photos", { published: "false", alt_text_custom: "First" }, photo, "source");
    const second = await post("photos", { published: "false", alt_text_custom: "Second", url: photoUrl });
    assert.deepEqual(Object.keys(first.body), ["id"]);
    assert.equal(facebook.posts().length, 0);
    const { body } = await post("feed", {
      message: "Two photos",
      "attached_media[0]": JSON.stringify({ media_fbid: second.body.id }),
      "attached_media[1]": JSON.stringify({ media_fbid: first.body.id }),
    });
    const sha256 = createHash("sha256").update(photo).digest("hex");
    const media = { mimeType: "image/jpeg", size: photo.length, sha256 };
    assert.deepEqual(facebook.posts()[0]?.media, [
      { ...media, altText: "Second" },
      { ...media, altText: "First" },
    ]);
    const read = await client.get(`/${facebook.page.id}/published_posts`, {
      fields: "message,attachments{media_type,subattachments{target{id}}}",
    });
    assert.equal(read.body.data[0]?.["id"], body.id);
    const { attachments } = read.body.data[0] as { attachments: { data: { subattachments: { data: object[] } }[] } };
    assert.deepEqual(attachments.data[0]?.subattachments.data, [
      { target: { id: second.body.id } },
      { target: { id: first.body.id } },
    ]);
  });

  test("publishes a single photo with its caption", async () => {
    const { body } = await post("photos", { url: photoUrl, caption: "Alone" });
    assert.equal(body["post_id"], facebook.posts()[0]?.id);
    assert.equal(facebook.posts()[0]?.text, "Alone");
  });

  test("deletes unpublished photos after 24 hours", async () => {
    const { id } = (await post("photos", { published: "false", url: photoUrl })).body;
    facebook.advanceTime(24 * 3_600_000);
    const attached = { message: "Late", "attached_media[0]": JSON.stringify({ media_fbid: id }) };
    assert.equal(toErrorCode(await post("feed", attached)), "100");
    assert.equal(facebook.posts().length, 0);
  });

  test("rejects photos that break the specifications", async () => {
    const reject = async (name: string, bytes: Buffer): Promise<string> =>
      toErrorCode(await post("photos", { published: "false", url: host.add(name, bytes) }));
    assert.equal(await reject("image.webp", await sample.webp()), "324");
    assert.equal(await reject("truncated.jpg", photo.subarray(0, 300)), "324");
    assert.equal(await reject("large.jpg", Buffer.concat([photo, Buffer.alloc(10 * 1024 * 1024)])), "324");
    assert.equal(await reject("text.jpg", Buffer.from("not an image")), "324");
    assert.equal(toErrorCode(await post("photos", { published: "false", url: host.missingUrl })), "324");
    assert.equal(toErrorCode(await post("photos", { published: "false" })), "324");
  });

  test("publishes a video by file and by URL, and reports its processing", async () => {
    const byFile = await upload("videos", { description: "By file", title: "Video" }, video, "source");
    const byUrl = await post("videos", { file_url: host.add("video.mp4", video), description: "By URL" });
    assert.deepEqual(
      facebook.posts().map(({ text, media }) => [text, media[0]?.size]),
      [
        ["By file", video.length],
        ["By URL", video.length],
      ],
    );
    const readStatus = async (): Promise<unknown> =>
      (await client.get(`/${byFile.body.id}`, { fields: "status{video_status}" })).body["status"];
    assert.deepEqual(await readStatus(), { video_status: "processing" });
    assert.deepEqual(await readStatus(), { video_status: "ready" });
    const read = await client.get(`/${byUrl.body.id}`, { fields: "post_id" });
    assert.equal(read.body["post_id"], facebook.posts()[1]?.id);
    assert.equal(toErrorCode(await post("videos", { file_url: host.missingUrl })), "389");
    assert.equal(toErrorCode(await post("videos", { file_url: photoUrl })), "6000");
    facebook.faults.failProcessing = 1;
    const failed = await upload("videos", {}, video, "source");
    const status = await client.get(`/${failed.body.id}`, { fields: "status" });
    assert.deepEqual(status.body["status"], {
      video_status: "error",
      uploading_phase: { status: "complete" },
      processing_phase: { status: "error", errors: [{ message: "Video processing failed" }] },
      publishing_phase: { status: "not_started" },
    });
    assert.equal(facebook.posts().length, 2);
  });

  test("publishes a video in chunks of the requested ranges", async () => {
    facebook.chunkBytes = 4096;
    const start = await post("videos", { upload_phase: "start", file_size: String(video.length) });
    const session = { upload_session_id: String(start.body["upload_session_id"]) };
    const transfer = (from: number, to: number): Promise<GraphResult> =>
      upload(
        "videos",
        { upload_phase: "transfer", ...session, start_offset: String(from) },
        video.subarray(from, to),
        "video_file_chunk",
      );
    assert.equal(toErrorCode(await transfer(1, 4097)), "100");
    assert.equal(toErrorCode(await transfer(0, 4000)), "100");
    assert.equal(toErrorCode(await post("videos", { upload_phase: "finish", ...session })), "6001");
    let range = [Number(start.body["start_offset"]), Number(start.body["end_offset"])];
    assert.deepEqual(range, [0, 4096]);
    while (range[0] !== range[1]) {
      const { body } = await transfer(range[0] ?? 0, range[1] ?? 0);
      range = [Number(body["start_offset"]), Number(body["end_offset"])];
    }
    assert.equal(facebook.posts().length, 0);
    const finish = await post("videos", { upload_phase: "finish", ...session, description: "In chunks" });
    assert.deepEqual(finish.body, { success: true });
    const sha256 = createHash("sha256").update(video).digest("hex");
    assert.deepEqual(
      facebook.posts().map(({ text, media }) => [text, media[0]?.sha256]),
      [["In chunks", sha256]],
    );
  });

  test("publishes a video by the handle of an upload that was resumed", async () => {
    const user = createGraphClient(`${facebook.origin}/v25.0`, () => facebook.userAccessToken);
    const file = { file_name: "video.mp4", file_length: String(video.length), file_type: "video/mp4" };
    const { id } = (await user.post(`/${facebook.appId}/uploads`, file)).body;
    const send = async (offset: number, bytes: Buffer): Promise<GraphResult> =>
      readResult(
        await fetch(`${facebook.origin}/v25.0/${id}`, {
          method: "POST",
          headers: { authorization: `OAuth ${facebook.userAccessToken}`, file_offset: String(offset) },
          body: new Uint8Array(bytes),
        }),
      );
    await send(0, video.subarray(0, 1000));
    assert.equal(toErrorCode(await send(999, video.subarray(999))), "100");
    const progress = await fetch(`${facebook.origin}/v25.0/${id}`, {
      headers: { authorization: `OAuth ${facebook.userAccessToken}` },
    });
    assert.deepEqual(await progress.json(), { id, file_offset: 1000 });
    const handle = String((await send(1000, video.subarray(1000))).body["h"]);
    await post("videos", { fbuploader_video_file_chunk: handle, description: "By handle" });
    assert.equal(facebook.posts()[0]?.media[0]?.size, video.length);
  });

  test("rejects wrong parameters and tokens", async () => {
    const fbid = (id: string): string => JSON.stringify([{ media_fbid: id }]);
    assert.equal(toErrorCode(await post("feed", {})), "100");
    assert.equal(toErrorCode(await post("feed", { message: "x", attached_media: fbid("1") })), "100");
    assert.equal(toErrorCode(await post("feed", { message: "x", "attached_media[1]": fbid("1") })), "100");
    assert.equal(toErrorCode(await post("feed", { message: "x", text: "y" })), "100");
    assert.equal(toErrorCode(await post("photos", { url: photoUrl, alt_text: "x" })), "100");
    assert.equal(toErrorCode(await post("videos", { description: "No video" })), "100");
    assert.equal(toErrorCode(await post("videos", { file_url: photoUrl, upload_phase: "start" })), "100");
    assert.equal(toErrorCode(await client.get(`/${facebook.page.id}/feed`, { limit: "101" })), "100");
    await post("feed", { message: "Draft", published: "false" });
    assert.equal(toErrorCode(await client.get(`/${facebook.page.id}/feed`, { fields: "text" })), "100");
    const user = createGraphClient(facebook.origin, () => facebook.userAccessToken);
    const denied = await user.post(`/${facebook.page.id}/feed`, { message: "As a user" });
    assert.deepEqual([denied.status, toErrorCode(denied)], [403, "200"]);
    assert.deepEqual(Object.keys((await user.get("/me")).body), ["name", "id"]);
    const accounts = await user.get("/me/accounts");
    assert.equal(accounts.body.data[0]?.["access_token"], facebook.accessToken);
    facebook.expireAccessToken();
    assert.equal(toErrorCode(await post("feed", { message: "Late" })), "190/463");
    assert.equal(facebook.posts().length, 0);
  });

  test("rejects consecutive duplicates unless a test turns that off", async () => {
    await post("feed", { message: "Same" });
    assert.equal(toErrorCode(await post("feed", { message: "Same" })), "506");
    facebook.rejectsDuplicates = false;
    await post("feed", { message: "Same" });
    assert.equal(facebook.posts().length, 2);
  });

  test("lists unpublished posts in the feed, but not among the published posts", async () => {
    const { id } = (await post("feed", { message: "Draft", published: "false" })).body;
    assert.equal(facebook.posts().length, 0);
    const feed = await client.get(`/${facebook.page.id}/feed`, { fields: "is_published" });
    assert.deepEqual(feed.body.data, [{ id, is_published: false }]);
    assert.deepEqual((await client.get(`/${facebook.page.id}/published_posts`)).body.data, []);
  });

  test("pages through the feed, newest first, and filters by time", async () => {
    const start = Math.floor(Date.now() / 1000);
    for (const message of ["1", "2", "3"]) {
      await post("feed", { message });
      facebook.advanceTime(10_000);
    }
    const read = async (params: Record<string, string>): Promise<GraphResult["body"]> =>
      (await client.get(`/${facebook.page.id}/feed`, params)).body;
    const firstPage = await read({ limit: "2" });
    assert.deepEqual(
      firstPage.data.map(({ message }) => message),
      ["3", "2"],
    );
    const { cursors } = firstPage["paging"] as { cursors: { after: string } };
    assert.deepEqual(
      (await read({ after: cursors.after })).data.map(({ message }) => message),
      ["1"],
    );
    const since = await read({ since: String(start + 10) });
    assert.deepEqual(
      since.data.map(({ message }) => message),
      ["3", "2"],
    );
  });

  test("injects faults: drops or fails the response to a publish request, is unavailable, or limits the rate", async () => {
    facebook.faults.dropPublishResponses = 2;
    await assert.rejects(post("feed", { message: "Lost" }));
    const photoResult = await post("photos", { published: "false", url: photoUrl });
    assert.equal(photoResult.status, 200, "an unpublished photo is not public");
    await assert.rejects(post("photos", { url: photoUrl }));
    assert.equal(facebook.posts().length, 2);
    facebook.faults.failPublishResponses = 1;
    assert.equal((await post("feed", { message: "Public in spite of the status" })).status, 503);
    assert.equal(facebook.posts().length, 3);
    facebook.faults.unavailablePublishes = 1;
    const unavailable = await post("feed", { message: "Unavailable" });
    assert.deepEqual([unavailable.status, toErrorCode(unavailable)], [503, "2"]);
    facebook.faults.rateLimitedPublishes = 1;
    const limited = await post("feed", { message: "Limited" });
    assert.deepEqual([limited.status, toErrorCode(limited)], [400, "80001"]);
    assert.equal(facebook.posts().length, 3);
  });
});
