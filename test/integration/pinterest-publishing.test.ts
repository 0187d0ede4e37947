import assert from "node:assert/strict";
import { before, test } from "node:test";
import { pinterest } from "#connectors/pinterest/connect.ts";
import { startPinterest, type PinterestFaults } from "../servers/pinterest.ts";
import { forEachEngine } from "../support/engines.ts";
import { muxVideo } from "../support/muxed-videos.ts";
import {
  assertPostsAppearOnceAfterKills,
  createTestImage,
  createTestVideo,
  lostResponseCount,
  type TestFile,
  usePlatform,
} from "../support/platform-publishing.ts";
import { sha256 } from "../support/stores.ts";

const options = { board: "549755885175", link: "https://example.com/vase?a=1&b=2" };
let video: TestFile;
let image: TestFile;
before(async () => {
  video = { ...(await createTestVideo()), content: await muxVideo("mp4", { seconds: 5, width: 720, height: 720 }) };
  image = await createTestImage("A vase");
});

forEachEngine("publishing to Pinterest", (fixture) => {
  const publisher = usePlatform(fixture, async (clock) => {
    const standIn = await startPinterest(clock);
    const { origin, account, tokens } = standIn;
    return {
      platform: pinterest,
      standIn,
      endpoints: { api: `${origin}/v5`, authorization: `${origin}/oauth/`, token: `${origin}/v5/oauth/token` },
      account,
      tokens,
      options,
    };
  });
  const toUrl = (id: string): string => `https://www.pinterest.com/pin/${id}/`;

  test("offers the boards of the account, and publishes an image with title, link and alt text (OPTION-5, PUB-1, PUB-25)", async () => {
    const { standIn, connectionId, api } = publisher;
    standIn.tokens.scopes = new Set();
    await publisher.connect(standIn.authorize);
    assert.deepEqual([...standIn.tokens.scopes], pinterest.scopes);
    const { body } = await api("GET", `/platforms/${connectionId}/choices`);
    const board = [
      { value: "549755885175", label: "Vases" },
      { value: "549755885176", label: "Ideas (secret)" },
    ];
    assert.deepEqual(body, { choices: { board } });
    const { view, post } = await publisher.publish("A vase & more", [image]);
    const { board: board_id, link } = options;
    const expected = { board_id, title: "Title", description: "A vase & more", alt_text: "A vase", link };
    assert.deepEqual([post.fields, post.files, view.url], [expected, [sha256(image.content)], toUrl(post.id)]);
  });

  test("publishes several images, in a section that is found by its name (PUB-1)", async () => {
    const { post } = await publisher.publish("Two vases", [image, await createTestImage("Another vase", 700, 700)], {
      section: "raku",
    });
    assert.deepEqual([post.fields["board_section_id"], post.files.length], ["7000000000000000001", 2]);
    const id = await publisher.request("No section", [image], { section: "Nowhere" });
    const { problem } = await publisher.waitForState(id, "failed", "published");
    assert.equal(problem?.code, "section_missing");
  });

  test("uploads a video with the form that Pinterest describes, also after an interruption (VIDEO-2, PUB-1)", async () => {
    const faults = publisher.standIn.faults as unknown as Record<string, number>;
    const names: (keyof PinterestFaults)[] = ["dropUploadResponses", "failedUploads", "unavailableRequests"];
    for (const name of names) {
      faults[name] = 1;
      const { post } = await publisher.publish(`Video: ${name}`, [video], { coverSecond: "2" });
      assert.deepEqual([post.files, post.source["cover_image_key_frame_time"]], [[sha256(video.content)], 2]);
      assert.equal(faults[name], 0, name);
    }
    faults["failProcessing"] = 1;
    await publisher.assertFails("media_rejected", "Not processed", [video]);
  });

  test(`${lostResponseCount} lost responses lead to no duplicates: the pins are found on the board (VIDEO-1, PUB-2)`, async () => {
    const { faults } = publisher.standIn;
    for (let i = 0; i < lostResponseCount; i++) {
      faults[i % 2 === 0 ? "dropPublishResponses" : "failPublishResponses"] = 1;
      faults.staleReads = i === 1 ? 2 : 0; // the second read is the lookup
      const { view, post } = await publisher.publish(`Lost ${i}`, [i === 0 ? video : image]);
      assert.equal(view.url, toUrl(post.id));
    }
  });

  test("a request that never arrived is not repeated: the publication becomes unconfirmed (PUB-2)", async () => {
    await publisher.requestUnconfirmed("Never arrived", [image]);
  });

  test("a worker that is killed at the commit publishes each pin at most once (VIDEO-1, PUB-2)", async () => {
    await assertPostsAppearOnceAfterKills(publisher, [image], ["published", "unconfirmed"]);
  });

  test("waits until a rate limit ends, and renews an expired token (PUB-2)", async () => {
    publisher.standIn.tokens.expire();
    publisher.standIn.faults.rateLimitedPublishes = 1;
    await publisher.publish("Renewed", [image]);
  });
});
