import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import sharp from "sharp";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createAssetSweeper } from "#domain/jobs/sweep-files.ts";
import { inlineLimitBytes } from "#domain/model/asset-kinds.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { emptyTrash } from "#domain/trash/trash.ts";
import { hours, minutes } from "#lib/clock.ts";
import {
  connectToolClient,
  downloadBytes,
  startAssetService,
  type StructuredResult,
  type ToolClient,
} from "../support/asset-fixture.ts";
import { untilDone } from "../support/batch-options.ts";
import { forOneEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import type { RunningService } from "../support/service.ts";
import { listStoreNames, putBytes, sha256, withOwnFiles } from "../support/stores.ts";
import { hugePng, jpeg, mp4, png, rotatedJpeg } from "../support/samples.ts";

const options = { env: { MAX_IMAGE_BYTES: "200000" } };

/** The calls that most tests make, as one user. */
function createCalls(client: ToolClient) {
  const request = (mimeType = "image/jpeg", filename?: string): Promise<StructuredResult> =>
    client.callOk("request_asset_upload", { kind: "image", mimeType, ...(filename === undefined ? {} : { filename }) });
  return {
    newPost: async () => (await client.callOk("create_post", { title: "A post" })).id,
    request,
    async send(bytes: Buffer, mimeType?: string) {
      const { assetId, uploadUrl } = await request(mimeType);
      assert.equal(await putBytes(uploadUrl, bytes), 200);
      return assetId;
    },
    async uploadInline(bytes: Uint8Array, mimeType = "image/jpeg", kind = "image") {
      const base64 = Buffer.from(bytes).toString("base64");
      return (await client.callOk("upload_asset_inline", { kind, mimeType, base64 })).assetId;
    },
    attach: (postId: string, assetId: string) => client.callOk("attach_asset", { postId, assetId }),
    attachError: (postId: string, assetId: string) => client.callError("attach_asset", { postId, assetId }),
    detach: (postId: string, assetId: string) => client.callOk("detach_asset", { postId, assetId }),
    getAsset: (assetId: string) => client.callOk("get_asset", { assetId, includeUrls: true }),
    async listPostAssets(postId: string) {
      return (await client.callOk("get_post", { postId, includeUrls: true })).assets;
    },
  };
}

for (const store of listStoreNames())
  forOneEngine(`files of assets on ${store}`, (fixture) => {
    let service: RunningService;
    let owner: Caller;
    let client: ToolClient;
    let calls: ReturnType<typeof createCalls>;
    let postId: string;
    before(async () => {
      service = await startAssetService(fixture, store, options);
      owner = await newStudio(service.deps);
      client = await connectToolClient(service, owner);
      calls = createCalls(client);
      postId = await calls.newPost();
    });
    after(async () => {
      await client.close();
      await service.close();
    });
    /** The status of a PUT to the URL of an asset that no longer exists. The S3 server does not know the asset. */
    const goneStatus = store === "disk" ? 410 : 200;
    const hasIncomingFile = async (assetId: string) =>
      (await service.deps.files.stat(`incoming/${assetId}`)) !== undefined;

    test("a file uploaded with PUT can be attached and read back, and a second PUT does not change it (ASSET-1, ASSET-2, ASSET-5, ASSET-18)", async () => {
      const bytes = await jpeg();
      const upload = await calls.request("image/jpeg", "team.jpg");
      const { assetId } = upload;
      assert.deepEqual(Object.keys(upload).toSorted(), ["assetId", "expiresAt", "uploadUrl"]);
      assert.ok(Math.abs(Date.parse(upload.expiresAt) - service.deps.clock() - minutes(10)) < 10_000);
      assert.equal(await calls.attachError(postId, assetId), "not_uploaded");

      assert.equal(await putBytes(upload.uploadUrl, bytes), 200);
      const file = { kind: "image", mimeType: "image/jpeg", filename: "team.jpg", bytes: bytes.length };
      const expected = { id: assetId, postId, ...file, status: "ready" };
      assert.deepEqual(await calls.attach(postId, assetId), expected);
      assert.equal(await putBytes(upload.uploadUrl, await png()), 200);
      assert.deepEqual(await calls.attach(postId, assetId), expected, "attaching again returns the same view");

      const [asset] = await calls.listPostAssets(postId);
      const { url, thumbnailUrl, ...rest } = asset!;
      assert.deepEqual(rest, { ...expected, width: 64, height: 48 });
      assert.equal(sha256(await downloadBytes(url!)), sha256(bytes));
      const thumbnail = await fetch(thumbnailUrl!);
      assert.equal(thumbnail.headers.get("content-type"), "image/webp");
      assert.equal(thumbnail.headers.get("x-content-type-options"), "nosniff");
      assert.equal(Buffer.from(await thumbnail.arrayBuffer()).toString("latin1", 8, 12), "WEBP");
      await calls.detach(postId, assetId);
      await client.callOk("delete_asset", { assetId });
      assert.equal(await putBytes(upload.uploadUrl, bytes), goneStatus);
    });

    test("an upload that is too large, empty or of another type is deleted when it is attached; the hints say to request a new URL (ASSET-7, ASSET-8, ASSET-20, U6, U7)", async () => {
      const rejectedFiles: [code: string, bytes: Buffer, mimeType: string][] = [
        ["type_mismatch", await png(), "image/jpeg"],
        ["too_large", Buffer.alloc(200_001, 7), "image/jpeg"],
        ["too_large", Buffer.alloc(2_000_000, 7), "image/jpeg"],
        ["too_large", hugePng(20_000, 20_000), "image/png"],
        ["invalid_input", Buffer.alloc(0), "image/jpeg"],
      ];
      for (const [code, bytes, mimeType] of rejectedFiles) {
        const { assetId, uploadUrl } = await calls.request(mimeType);
        const isRejectedByStore = store === "disk" && bytes.length > 200_000;
        assert.equal(await putBytes(uploadUrl, bytes).catch(() => 413), isRejectedByStore ? 413 : 200);
        const { structured } = await client.call("attach_asset", { postId, assetId });
        assert.equal(structured.code, code);
        assert.match(structured.hint, /request_asset_upload again/);
        assert.match(structured.message, /deleted/);
        assert.equal(await hasIncomingFile(assetId), false);
        assert.equal(await client.callError("get_asset", { assetId }), "not_found");

        assert.equal(await putBytes(uploadUrl, await jpeg()), goneStatus);
        if (store === "disk") assert.equal(await hasIncomingFile(assetId), false, "nothing is stored");
        const again = await client.call("attach_asset", { postId, assetId });
        assert.equal(again.structured.code, "not_found");
        assert.match(again.structured.hint, /request_asset_upload for a new URL/);
        if (store === "disk") continue;
        const files = withOwnFiles(service.deps.files, (key) => key === `incoming/${assetId}`);
        const laterDeps: Deps = { ...service.deps, files, clock: () => service.deps.clock() + hours(2) };
        await createAssetSweeper(laterDeps)(untilDone);
        assert.equal(await hasIncomingFile(assetId), false, "the bytes are swept");
      }
      const largestId = await calls.send(Buffer.alloc(200_000, 7));
      assert.equal((await calls.attach(postId, largestId)).bytes, 200_000);
    });

    test("a deleted upload gets the same error as another studio's asset, and a PUT to its URL says to request a new one (ASSET-14, T1)", async () => {
      const { assetId, uploadUrl } = await calls.request();
      await client.callOk("delete_asset", { assetId });
      const response = await fetch(uploadUrl, { method: "PUT", body: await jpeg() });
      assert.equal(response.status, goneStatus);
      if (store === "disk") {
        const problem = (await response.json()) as { code: string; hint: string };
        assert.equal(problem.code, "upload_expired");
        assert.match(problem.hint, /new upload URL/);
        assert.equal(await hasIncomingFile(assetId), false);
      }
      const stranger = await connectToolClient(service, await newStudio(service.deps));
      const theirs = await createCalls(stranger).request();
      const [deletedResult, otherStudioResult] = await Promise.all(
        [assetId, theirs.assetId].map((id) => client.call("attach_asset", { postId, assetId: id })),
      );
      assert.deepEqual(deletedResult?.structured, otherStudioResult?.structured);
      await stranger.close();
    });

    test("after the upload URL has expired, attaching fails unless the file was uploaded in time (ASSET-9)", async () => {
      const unsent = await calls.request("image/png");
      const sentId = await calls.send(await png(), "image/png");
      const laterDeps: Deps = { ...service.deps, clock: () => service.deps.clock() + minutes(10) + 1 };
      const attach = (assetId: string) => attachAsset(laterDeps, owner, { postId, assetId });
      assert.equal(await getOutcome(attach(unsent.assetId)), "upload_expired");
      assert.equal((await attach(sentId)).status, "ready");
      if (store === "s3") return; // the S3 server's own clock has not advanced
      fixture.clock.advance(minutes(10) + 1);
      assert.equal(await putBytes(unsent.uploadUrl, await png()), 403);
    });

    test("delete_asset moves the asset to the trash; emptying it removes file, thumbnail and record (ASSET-14, TRASH-2, T11)", async () => {
      const assetId = await calls.uploadInline(await jpeg(33, 33));
      const { url, thumbnailUrl } = await calls.getAsset(assetId);
      assert.equal((await fetch(thumbnailUrl!)).status, 200);
      assert.deepEqual(await client.callOk("delete_asset", { assetId }), { deleted: assetId });
      for (const tool of ["delete_asset", "get_asset"])
        assert.equal(await client.callError(tool, { assetId }), "not_found");
      const listKeys = async () => {
        const areas = ["files", "thumbs"].map((area) => service.deps.files.list(`${area}/${assetId}`, { limit: 10 }));
        return (await Promise.all(areas)).flat().map(({ key }) => key);
      };
      assert.equal((await listKeys()).length, 2, "the trash keeps the file and its thumbnail");
      await emptyTrash(service.deps, owner);
      assert.equal((await fetch(url!)).status, 404);
      assert.equal((await fetch(thumbnailUrl!)).status, 404);
      assert.deepEqual(await listKeys(), []);
    });

    test("text is served only as a download (ASSET-22)", async () => {
      const text = Buffer.from("# Title\n<div>not run</div>\n");
      const { url } = await calls.getAsset(await calls.uploadInline(text, "text/markdown", "document"));
      const { headers } = await fetch(url!);
      assert.match(headers.get("content-disposition") ?? "", /^attachment/);
      if (store === "s3") return; // S3 serves files from another origin, without access to our pages
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("content-security-policy") ?? "", /sandbox/);
    });
  });

forOneEngine("asset tools", (fixture) => {
  let service: RunningService;
  let owner: Caller;
  let client: ToolClient;
  let calls: ReturnType<typeof createCalls>;
  before(async () => {
    service = await startAssetService(fixture, "disk", options);
    owner = await newStudio(service.deps);
    client = await connectToolClient(service, owner);
    calls = createCalls(client);
  });
  after(async () => {
    await client.close();
    await service.close();
  });
  const listIds = (assets: readonly { id: string }[]) => assets.map(({ id }) => id);

  test("copy_asset returns { assetId }: an unattached copy that can be attached, and is served after its original was deleted (LIB-1, LIB-2)", async () => {
    const [first, second] = [await calls.newPost(), await calls.newPost()];
    const bytes = await jpeg(70, 50);
    const assetId = await calls.uploadInline(bytes);
    await calls.attach(first, assetId);
    const { structured } = await client.call("attach_asset", { postId: second, assetId });
    assert.equal(structured.code, "already_attached");
    assert.match(structured.hint, /copy_asset/);

    const copy = await client.callOk("copy_asset", { assetId });
    assert.deepEqual(Object.keys(copy), ["assetId"]);
    await calls.attach(second, copy.assetId);
    await calls.detach(first, assetId);
    await client.callOk("delete_asset", { assetId });
    await emptyTrash(service.deps, owner);
    assert.equal(sha256(await downloadBytes((await calls.getAsset(copy.assetId)).url!)), sha256(bytes));

    const pending = await calls.request();
    const notUploaded = await client.call("copy_asset", { assetId: pending.assetId });
    assert.equal(notUploaded.structured.code, "not_uploaded");
    assert.match(notUploaded.structured.hint, /attach_asset first/);
  });

  test("an inline upload is ready at once and not attached to a post; exactly 5 × 1024 × 1024 bytes is too large, one byte less is stored (ASSET-3, ASSET-4)", async () => {
    const content = randomBytes(inlineLimitBytes - 1);
    content[0] = 0; // matches no file signature
    const video = { kind: "video", mimeType: "video/mp4" };
    const stored = await client.callOk("upload_asset_inline", { ...video, base64: content.toString("base64") });
    assert.deepEqual(stored, { assetId: stored.assetId, bytes: 5 * 1024 * 1024 - 1 });
    const { status, postId, filename, bytes, url } = await calls.getAsset(stored.assetId);
    assert.deepEqual([status, postId, filename, bytes], ["ready", null, "video.mp4", content.length]);
    assert.equal(sha256(await downloadBytes(url!)), sha256(content));
    const base64 = Buffer.alloc(inlineLimitBytes, 65).toString("base64");
    // The size is checked before everything else.
    for (const input of [video, { kind: "audio", filename: "x".repeat(300) }])
      assert.equal(await client.callError("upload_asset_inline", { ...input, base64 }), "inline_too_large_use_presign");
  });

  test("a detached asset keeps its bytes and can be attached to another post (ASSET-6, ASSET-11)", async () => {
    const [first, second] = [await calls.newPost(), await calls.newPost()];
    const bytes = await jpeg(90, 30);
    const assetId = await calls.uploadInline(bytes);
    await calls.attach(first, assetId);
    assert.equal(await calls.attachError(second, assetId), "already_attached");
    assert.equal(await client.callError("detach_asset", { postId: second, assetId }), "not_attached");
    assert.equal(await client.callError("delete_asset", { assetId }), "asset_in_use");
    assert.deepEqual(await calls.detach(first, assetId), { detached: assetId });
    assert.equal(await client.callError("detach_asset", { postId: first, assetId }), "not_attached");
    assert.equal((await calls.attach(second, assetId)).postId, second);
    const [asset] = await calls.listPostAssets(second);
    assert.equal(sha256(await downloadBytes(asset!.url!)), sha256(bytes));
    assert.deepEqual(await calls.listPostAssets(first), []);
  });

  test("update_post reorders assets, and rejects a list that is not exactly the post's assets (ASSET-13)", async () => {
    const post = await calls.newPost();
    const bytes = await jpeg(21, 20);
    const ids = await Promise.all(Array.from({ length: 3 }, () => calls.uploadInline(bytes)));
    for (const assetId of ids) await calls.attach(post, assetId);
    const reversed = ids.toReversed();
    assert.deepEqual(
      listIds((await client.callOk("update_post", { postId: post, assetIds: reversed })).assets),
      reversed,
    );
    const [first, second] = ids;
    const unattached = await calls.uploadInline(bytes);
    for (const assetIds of [[], ids.slice(1), [...ids, first], [first, first, second], [first, second, unattached]])
      assert.equal(await client.callError("update_post", { postId: post, assetIds }), "invalid_input");
    assert.deepEqual(listIds(await calls.listPostAssets(post)), reversed);
    const { posts } = (await client.callOk("list_posts", { limit: 1 })) as unknown as { posts: StructuredResult[] };
    assert.deepEqual(listIds(posts[0]!.assets), reversed);
  });

  test("list_assets returns pages, newest first and filtered, and rejects a cursor from another list (ASSET-14, T8)", async () => {
    const lister = await connectToolClient(service, await newStudio(service.deps));
    const { uploadInline, newPost, attach } = createCalls(lister);
    const image = await uploadInline(await png(), "image/png");
    const video = await uploadInline(mp4(), "video/mp4", "video");
    const text = await uploadInline(Buffer.from("hello"), "text/plain", "document");
    await attach(await newPost(), video);
    const list = async (args: object) => listIds((await lister.callOk("list_assets", { ...args })).assets);
    assert.deepEqual(await list({}), [text, video, image]);
    assert.deepEqual(await list({ unattached: true }), [text, image]);
    assert.deepEqual(await list({ kind: "image", unattached: true }), [image]);
    const page = await lister.callOk("list_assets", { limit: 2 });
    const fields = ["bytes", "filename", "id", "kind", "mimeType", "postId", "status"];
    assert.deepEqual(Object.keys(page.assets[0]!).toSorted(), fields);
    const { nextCursor: cursor } = page;
    assert.deepEqual(await list({ limit: 2, cursor }), [image]);
    assert.equal(await client.callError("list_assets", { cursor }), "invalid_input");
    for (const input of [{ kind: "image", cursor }, { limit: 0 }, { limit: -1 }, { limit: 1e9 }])
      assert.equal(await lister.callError("list_assets", input), "invalid_input");
    await lister.close();
  });

  test("update_asset changes only alt text and filename (ASSET-14)", async () => {
    const assetId = await calls.uploadInline(await jpeg(23, 22));
    const changes = { altText: " A red square ", filename: "../../red.jpg" };
    const updated = await client.callOk("update_asset", { assetId, ...changes });
    assert.deepEqual([updated.altText, updated.filename, updated.width], ["A red square", "red.jpg", 23]);
    assert.equal((await client.callOk("update_asset", { assetId, altText: "" })).altText, undefined);
    for (const input of [{}, { filename: "\u202e" }])
      assert.equal(await client.callError("update_asset", { assetId, ...input }), "invalid_input");
  });

  test("previews for the model are up to four upright images of at most 512 px without location metadata (ASSET-12, U20)", async () => {
    const postId = await calls.newPost();
    const bytes = await rotatedJpeg();
    const [imageId, largeId] = [await calls.uploadInline(bytes), await calls.uploadInline(await jpeg(2000, 1000))];
    const videoId = await calls.uploadInline(mp4(), "video/mp4", "video");
    for (const assetId of [imageId, largeId, videoId]) await calls.attach(postId, assetId);
    const { images, structured } = await client.call("get_post", { postId, includePreviews: true, includeUrls: true });
    const previews = await Promise.all(images.map(({ data }) => sharp(Buffer.from(data, "base64")).metadata()));
    assert.equal(images[0]?.mimeType, "image/webp");
    assert.deepEqual(
      previews.map(({ width, height, exif }) => [width, height, exif]),
      [
        [40, 80, undefined],
        [512, 256, undefined],
      ],
    );
    assert.deepEqual(
      structured.assets.map(({ width, height, durationMs }) => [width, height, durationMs]),
      [
        [40, 80, undefined],
        [2000, 1000, undefined],
        [640, 360, 2500],
      ],
    );
    assert.equal(sha256(await downloadBytes(structured.assets[0]!.url!)), sha256(bytes), "the original is unchanged");
    assert.equal((await client.call("get_post", { postId })).images.length, 0);
    assert.equal((await client.call("get_asset", { assetId: imageId, includePreview: true })).images.length, 1);
    assert.equal((await client.call("get_asset", { assetId: videoId, includePreview: true })).images.length, 0);
  });

  test("accepts padded standard base64 with whitespace inline, and rejects all other variants (ASSET-24, U9)", async () => {
    const file = Buffer.from("hello, world");
    const valid = file.toString("base64");
    const send = async (base64: string) =>
      (await client.call("upload_asset_inline", { kind: "document", mimeType: "text/plain", base64 })).structured;
    for (const text of [valid, ` ${valid.slice(0, 4)}\r\n\t${valid.slice(4)}\n`])
      assert.equal((await send(text)).bytes, file.length);
    const variants = [`${valid}=`, `data:text/plain;base64,${valid}`, "aGVsbG8", "AA==AAAA", "A===", "-_-_", "été="];
    for (const invalid of ["", " \n ", "@@@@", valid.slice(0, -1), ...variants])
      assert.equal((await send(invalid)).code, "invalid_input", invalid);
  });

  test("presigned and inline uploads reject a type that the kind does not accept (ASSET-17)", async () => {
    for (const [kind, mimeType] of [
      ["image", "image/svg+xml"],
      ["document", "text/html"],
      ["image", "video/mp4"],
      ["document", "application/zip"],
      ["image", ""],
    ]) {
      const input = { kind, mimeType };
      assert.equal(await client.callError("request_asset_upload", input), "unsupported_type");
      const inlineInput = { ...input, base64: "aGVsbG8=" };
      assert.equal(await client.callError("upload_asset_inline", inlineInput), "unsupported_type");
    }
    const audio = { kind: "audio", mimeType: "audio/mpeg" };
    assert.equal(await client.callError("request_asset_upload", audio), "invalid_input");
    assert.ok(await client.callOk("request_asset_upload", { kind: "document", mimeType: "Text/Plain; charset=utf-8" }));
  });

  test("file names are only display text: sanitized, and never part of a path (ASSET-21, U13)", async () => {
    const base64 = (await jpeg(24, 24)).toString("base64");
    const image = { kind: "image", mimeType: "image/jpeg", base64 };
    for (const [filename, sanitized] of [
      ["../../etc/passwd", "passwd"],
      ["..%2f..%2fx.jpg", "..%2f..%2fx.jpg"],
      ["C:\\temp\\a.jpg", "a.jpg"],
      ["a\r\nb: c.jpg", "ab: c.jpg"],
      ["\u202egpj.exe", "gpj.exe"],
      ['"; filename=x', '"; filename=x'],
      ["../", "image.jpg"],
      ["👨‍👩‍👧.jpg", "👨‍👩‍👧.jpg"],
    ]) {
      const { assetId } = await client.callOk("upload_asset_inline", { ...image, filename });
      const detail = await calls.getAsset(assetId);
      assert.equal(detail.filename, sanitized);
      const { headers } = await fetch(detail.url!);
      assert.match(headers.get("content-disposition") ?? "", /^inline; filename="[^"]*\.jpg"/);
    }
    for (const filename of ["a\0b.jpg", "x".repeat(256), "x".repeat(4096)])
      assert.equal(await client.callError("upload_asset_inline", { ...image, filename }), "invalid_input");
  });

  test("whoami returns the configured limits", async () => {
    const who = (await client.callOk("whoami")) as unknown as { limits: { kinds: { image: { maxBytes: number } } } };
    assert.equal(who.limits.kinds.image.maxBytes, 200_000);
  });
});
