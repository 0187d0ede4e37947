import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, beforeEach, test } from "node:test";
import sharp from "sharp";
import { isReady } from "#domain/model/asset.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { readContent } from "#domain/changes/read-content.ts";
import { findOrCreateRendition, fitContent, inspectImages } from "#domain/steps/renditions.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { planForAsset } from "#domain/model/renditions/plan-for-asset.ts";
import { getRendition } from "#domain/renditions/get-rendition.ts";
import { setCrop } from "#domain/renditions/set-crop.ts";
import { days, hours, toIsoTime } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { createImageConverter } from "#media/image-converter.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { createHookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { addConnections, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { createNoise, heic, jpeg, png, rotatedJpeg } from "../support/samples.ts";
import { createSandboxPlatforms } from "../support/sandbox-platforms.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudio } from "../support/users.ts";

forOneEngine("renditions", (fixture) => {
  let publishing: PublishingFixture;
  let wideId: string;
  let narrowId: string;
  /** The files that platforms received. */
  let receivedFiles: Buffer[] = [];

  const recordUploads =
    (fetch: PublicFetch): PublicFetch =>
    async (url, request) => {
      const body = request?.body;
      if (url.endsWith("/api/media") && typeof body === "object" && "open" in body) {
        const file = await buffer(await body.open());
        receivedFiles.push(file);
        return fetch(url, { ...request, body: file });
      }
      return fetch(url, request);
    };

  before(async () => {
    const base = await findFreeBaseUrl();
    const [, setup] = createSandboxPlatforms({ base, wrapFetch: recordUploads });
    assert.ok(setup && !setup.platform.protocol);
    const { platform } = setup;
    const narrowSizes = { maxBytes: 200_000, maxWidth: 1080, minAspect: 0.8, maxAspect: 1.91 };
    const narrowImages = { max: 4, types: ["image/jpeg"], ...narrowSizes };
    const narrow = { ...platform, id: "narrow", name: "Narrow", limits: { ...platform.limits, images: narrowImages } };
    publishing = await startPublishing(fixture, ["harbour"], {
      base,
      platforms: [
        { ...setup, platform: { ...platform, id: "wide", name: "Wide" } },
        { ...setup, platform: narrow },
      ],
    });
    wideId = (await addConnections(publishing, "wide", 1))[0] ?? "";
    narrowId = (await addConnections(publishing, "narrow", 1))[0] ?? "";
  });
  beforeEach(() => (receivedFiles = []));
  after(() => publishing.close());

  async function newPost(
    files: readonly { bytes: Buffer; mimeType: string; filename: string }[],
    caller: Caller = publishing.owner,
  ): Promise<{ postId: string; assetIds: string[] }> {
    const { service } = publishing;
    const { id: postId } = await createPost(service.deps, caller, { title: "A post", body: "Some words" });
    const assetIds: string[] = [];
    for (const { bytes, ...file } of files) {
      const upload = { kind: "image" as const, ...file, base64: bytes.toString("base64") };
      const { assetId } = await uploadAssetInline(service.deps, caller, upload);
      await attachAsset(service.deps, caller, { postId, assetId });
      assetIds.push(assetId);
    }
    return { postId, assetIds };
  }

  async function publishTo(postId: string, connectionId: string): Promise<void> {
    const { service, owner, waitForState } = publishing;
    const { publications } = await publishPost(service.deps, owner, { postId, connectionIds: [connectionId] });
    const { state, problem } = await waitForState(publications[0]?.id ?? "", "published", "failed");
    assert.equal(state, "published", JSON.stringify(problem));
  }

  async function findImageProblems(postId: string, connectionId: string): Promise<string[]> {
    const { service, owner } = publishing;
    // `get_post` waits only a second for the inspection.
    await inspectImages(service.deps, await service.deps.assets.listByPosts([postId]), 30_000);
    const post = await getPost(service.deps, owner, { postId });
    const validation = post.validation?.find((each) => each.connectionId === connectionId);
    return (validation?.problems ?? [])
      .filter(({ code }) => !code.startsWith("alt_text"))
      .map(({ level, message }) => `${level}: ${message}`);
  }

  const wideLogo = () =>
    sharp({ create: { width: 3000, height: 1000, channels: 4, background: "#f008" } })
      .png()
      .toBuffer();

  test("sends a photo upright and without its location, and an ordinary image byte for byte (PUB-1)", async () => {
    const [rotated, plain] = [await rotatedJpeg(), await jpeg()];
    const { postId } = await newPost([
      { bytes: rotated, mimeType: "image/jpeg", filename: "rotated.jpg" },
      { bytes: plain, mimeType: "image/jpeg", filename: "plain.jpg" },
    ]);
    assert.deepEqual(await findImageProblems(postId, wideId), []);
    await publishTo(postId, wideId);
    const [sent, sentPlain] = receivedFiles;
    const { width, height, exif, orientation } = await sharp(sent).metadata();
    assert.deepEqual([width, height, exif, orientation], [40, 80, undefined, undefined]);
    assert.deepEqual(sentPlain, plain);
  });

  test("announces a conversion, previews it, sends exactly the previewed file, and keeps the original (PUB-1)", async () => {
    const original = await wideLogo();
    const { postId, assetIds } = await newPost([{ bytes: original, mimeType: "image/png", filename: "logo.png" }]);
    assert.deepEqual(await findImageProblems(postId, narrowId), [
      "converted: logo.png will be converted to JPEG, padded and given a white background, 1080 × 566.",
    ]);
    assert.deepEqual(await findImageProblems(postId, wideId), []);
    const { service, owner, browser } = publishing;
    const url = `${service.base}/api/studios/${owner.studio.id}/posts/${postId}/assets/${assetIds[0]}/renditions/${narrowId}`;
    const response = await browser.send(url);
    assert.equal(response.status, 200);
    const headers = ["content-type", "content-disposition", "x-content-type-options", "content-security-policy"];
    assert.deepEqual(
      headers.map((name) => response.headers.get(name)),
      ["image/jpeg", 'inline; filename="logo.jpg"', "nosniff", "sandbox; default-src 'none'"],
    );
    const preview = Buffer.from(await response.arrayBuffer());
    const { width, height, format } = await sharp(preview).metadata();
    assert.deepEqual([width, height, format], [1080, 566, "jpeg"]);
    const etag = response.headers.get("etag") ?? "";
    assert.equal((await browser.send(url, { headers: { "if-none-match": etag } })).status, 304);

    await publishTo(postId, narrowId);
    assert.deepEqual(receivedFiles, [preview]);
    const asset = await service.deps.assets.find(owner.studio.id, assetIds[0] ?? "");
    assert.deepEqual(await buffer(await service.deps.files.read(asset?.storageKey ?? "")), original);
  });

  test("stores images that can't be opened, but never publishes them; HEIC has to be exported", async () => {
    const noise = await createNoise(100, 100);
    const whole = await sharp(noise.data, { raw: noise.info }).png().toBuffer();
    for (const [bytes, mimeType, message] of [
      [whole.subarray(0, 18), "image/png", "can’t be opened; export it as JPEG"],
      [whole.subarray(0, whole.length - 5000), "image/png", "can’t be opened; export it as JPEG"],
      [heic(), "image/heic", "can’t be converted; export it as JPEG"],
    ] as const) {
      const { postId, assetIds } = await newPost([{ bytes: Buffer.from(bytes), mimeType, filename: "damaged" }]);
      const { service, owner } = publishing;
      for (const connectionId of [wideId, narrowId]) {
        assert.deepEqual(await findImageProblems(postId, connectionId), [`rejected: damaged ${message}.`]);
        assert.equal(
          await getOutcome(publishPost(service.deps, owner, { postId, connectionIds: [connectionId] })),
          "not_publishable",
        );
        const target = { postId, assetId: assetIds[0] ?? "", connectionId };
        assert.equal(await getOutcome(getRendition(service.deps, owner, target)), "not_publishable");
      }
    }
  });

  test("never sends an image that could not be opened in time: it may contain a location", async () => {
    const { service, owner } = publishing;
    const slowMedia = { ...service.deps.media, ...createImageConverter({ timeoutMs: 1 }) };
    const deps = { ...service.deps, media: slowMedia };
    const files = [{ bytes: await rotatedJpeg(), mimeType: "image/jpeg", filename: "photo.jpg" }];
    const { postId, assetIds } = await newPost(files);
    const target = { postId, assetId: assetIds[0] ?? "", connectionId: wideId };
    assert.equal(await getOutcome(getRendition(deps, owner, target)), "not_publishable");
    const studioId = owner.studio.id;
    const post = await deps.posts.find(studioId, postId);
    const connection = await deps.platformStore.find(studioId, wideId);
    assert.ok(post && connection);
    const assets = await deps.assets.listByPosts([postId]);
    const publication = { studioId, connectionId: wideId, includesTitle: false };
    const content = await readContent(deps, publication, post, assets);
    const outcome = await fitContent(deps, studioId, connection, content);
    assert.ok("kind" in outcome && outcome.kind === "retry_later", JSON.stringify(outcome));
  });

  test("a call waits at most a second for images to be opened, to validate or to publish a post (F6)", async () => {
    const { service, owner } = publishing;
    const waits: number[] = [];
    const deps = {
      ...service.deps,
      media: { ...service.deps.media, inspectImage: () => new Promise<undefined>(() => {}) },
      sleep: async (ms: number) => void waits.push(ms),
    };
    const { postId } = await newPost([{ bytes: await jpeg(), mimeType: "image/jpeg", filename: "photo.jpg" }]);
    await getPost(deps, owner, { postId });
    await publishPost(deps, owner, { postId, connectionIds: [wideId], propose: true });
    assert.deepEqual(waits, [1000, 1000]);
  });

  test("crops instead of padding if the user chooses a position, and pads again on request (PUB-1)", async () => {
    const bytes = await wideLogo();
    const { postId, assetIds } = await newPost([{ bytes, mimeType: "image/png", filename: "logo.png" }]);
    const path = `/posts/${postId}/assets/${assetIds[0]}/crop`;
    const { status, body } = await publishing.api("PATCH", path, { platform: "narrow", mode: "crop", x: 1 });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body["crops"], [{ assetId: assetIds[0], platform: "narrow", x: 1, y: 0.5 }]);
    assert.deepEqual(await findImageProblems(postId, narrowId), [
      "converted: logo.png will be converted to JPEG, cropped and given a white background, 1079 × 565.",
    ]);
    const padded = await publishing.api("PATCH", path, { platform: "narrow", mode: "pad" });
    assert.equal(padded.body["crops"], undefined);
    for (const [input, expected] of [
      [{ platform: "nowhere", mode: "crop" }, 400],
      [{ platform: "narrow", mode: "crop", x: 2 }, 400],
      [{ platform: "narrow", mode: "stretch" }, 400],
    ] as const)
      assert.equal((await publishing.api("PATCH", path, input)).status, expected);
  });

  test("finds renditions and crops only of images on the caller's own posts, even if a call mixes ids of two studios (T1, T2)", async () => {
    const { owner } = publishing;
    const { deps } = publishing.service;
    const stranger = await newStudio(deps);
    const files = [{ bytes: await png(), mimeType: "image/png", filename: "logo.png" }];
    const [ours, theirs] = [await newPost(files), await newPost(files, stranger)];
    const getOutcomes = async (caller: Caller, { postId }: typeof ours, { assetIds }: typeof ours) => {
      const target = { postId, assetId: assetIds[0] ?? "" };
      return [
        await getOutcome(setCrop(deps, caller, { ...target, platform: "narrow", mode: "crop", x: 0, y: 0 })),
        await getOutcome(getRendition(deps, caller, { ...target, connectionId: narrowId })),
      ];
    };
    assert.deepEqual(await getOutcomes(owner, ours, ours), ["ok", "ok"]);
    for (const [caller, post, image] of [
      [stranger, ours, ours],
      [stranger, theirs, ours],
      [owner, theirs, ours],
      [owner, ours, theirs],
    ] as const)
      assert.deepEqual(await getOutcomes(caller, post, image), ["not_found", "not_found"]);
    // The image and the post are the caller's, but not the account.
    assert.deepEqual(await getOutcomes(stranger, theirs, theirs), ["ok", "not_found"]);
  });

  test("a crop voids the approval for its platform only, and not if the editor may publish (PUB-3)", async () => {
    const { service, owner } = publishing;
    const { postId, assetIds } = await newPost([
      { bytes: await wideLogo(), mimeType: "image/png", filename: "logo.png" },
    ]);
    const at = toIsoTime(service.deps.clock() + hours(5));
    await publishPost(service.deps, owner, { postId, connectionIds: [wideId, narrowId], at });
    const listStates = async () => {
      const { publications } = await listPublications(service.deps, owner, { postId, limit: 10 });
      const find = (id: string) => publications.find(({ connectionId }) => connectionId === id)?.state;
      return [find(wideId), find(narrowId)];
    };
    const crop = { postId, assetId: assetIds[0] ?? "", platform: "narrow", mode: "crop", y: 0.5 } as const;
    await setCrop(service.deps, owner, { ...crop, x: 0 });
    await setCrop(service.deps, owner, { ...crop, platform: "wide", x: 1 });
    assert.deepEqual(await listStates(), ["scheduled", "scheduled"]);
    const { revision } = await getPost(service.deps, owner, { postId });
    await setCrop(service.deps, owner, { ...crop, x: 0 });
    assert.equal((await getPost(service.deps, owner, { postId })).revision, revision);
    const client = await actThroughDrafter(service.deps, owner);
    await setCrop(service.deps, client, { ...crop, x: 0.3 });
    assert.deepEqual(await listStates(), ["scheduled", "proposed"]);
    const { revisions } = await getPostHistory(service.deps, owner, { postId, limit: 2 });
    assert.deepEqual(
      revisions.map(({ crops }) => crops?.map(({ x }) => x)),
      [
        [0.3, 1],
        [0, 1],
      ],
    );
    await restorePost(service.deps, owner, { postId, revision });
    assert.equal((await getPost(service.deps, owner, { postId })).crops?.[0]?.x, 0);
  });

  test("keeps at most 20 previews of an image, and none of them is what a publication sends (U19)", async () => {
    const { service, owner } = publishing;
    const bytes = await sharp({ create: { width: 90, height: 20, channels: 3, background: "#456" } })
      .png()
      .toBuffer();
    const { postId, assetIds } = await newPost([{ bytes, mimeType: "image/png", filename: "wide.png" }]);
    const target = { postId, assetId: assetIds[0] ?? "", connectionId: narrowId };
    const storageKeys: string[] = [];
    for (let i = 0; i <= 20; i++) {
      const crop = { postId, assetId: target.assetId, platform: "narrow", mode: "crop", x: i / 20, y: 0 } as const;
      await setCrop(service.deps, owner, crop);
      storageKeys.push((await getRendition(service.deps, owner, target)).storageKey);
    }
    assert.equal(new Set(storageKeys).size, 21);
    assert.ok(storageKeys.every((key) => key.startsWith("previews/")));
    const stored = await Promise.all(storageKeys.map((key) => service.deps.files.stat(key)));
    assert.deepEqual(
      stored.map((file) => file !== undefined),
      [false, ...Array.from({ length: 20 }, () => true)],
    );
  });

  /** A PNG in a store of its own, which `create` converts to JPEG or finds again. */
  async function createStoredImage() {
    const files = createHookedFiles(fixture.clock);
    const deps = { ...fixture.deps, files };
    const owner = await newStudio(deps);
    const upload = { kind: "image" as const, mimeType: "image/png", base64: (await png()).toString("base64") };
    const { assetId } = await uploadAssetInline(deps, owner, upload);
    const asset = await deps.assets.find(owner.studio.id, assetId);
    assert.ok(asset && isReady(asset));
    const plan = planForAsset(asset, undefined, { types: ["image/jpeg"] }, undefined);
    const requester = { studioId: owner.studio.id, isUrgent: true };
    return {
      files,
      async create() {
        const rendition = await findOrCreateRendition(deps, { ...asset, digest: asset.version }, plan, requester);
        assert.ok(!("kind" in rendition));
        return rendition;
      },
      async deletePermanently() {
        await deleteAsset(deps, owner, { assetId });
        await emptyTrash(deps, owner);
      },
      async countRenditionsAfter(ms: number) {
        fixture.clock.advance(ms);
        await createAssetSweeper(deps)(untilDone);
        return (await files.keys()).filter((key) => key.startsWith("renditions/")).length;
      },
    };
  }

  test("a rendition stays stored for at least 26 hours after each use (PUB-1)", async () => {
    const { files, create, countRenditionsAfter } = await createStoredImage();
    for (let day = 0; day < 8; day++) {
      const { storageKey } = await create();
      await countRenditionsAfter(hours(26));
      assert.ok(await files.stat(storageKey), `day ${day}`);
    }
  });

  test("keeps renditions for a week, unless their asset is deleted, and creates them again", async () => {
    const { files, create, deletePermanently, countRenditionsAfter } = await createStoredImage();
    const rendition = await create();
    let writes = 0;
    files.hook = (call) => void (writes += Number(call === "write"));
    assert.deepEqual(await create(), rendition);
    assert.equal(writes, 0);
    assert.deepEqual([await countRenditionsAfter(days(6)), await countRenditionsAfter(days(2))], [1, 0]);
    assert.deepEqual({ ...(await create()), storageKey: "" }, { ...rendition, storageKey: "" });
    await deletePermanently();
    assert.equal(await countRenditionsAfter(hours(2)), 0);
  });
});
