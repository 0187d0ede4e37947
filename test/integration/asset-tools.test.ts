import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createAssetSweeper } from "#domain/assets/lifecycle/sweep-assets.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { emptyTrash } from "#domain/trash/empty-trash.ts";
import { hours, minutes } from "#lib/clock.ts";
import {
  connectToolClient,
  downloadBytes,
  forEachStoreAndEngine,
  startAssetService,
  type ToolClient,
} from "../support/asset-fixture.ts";
import { untilDone } from "../support/batch-options.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import type { RunningService } from "../support/service.ts";
import { putBytes, withOwnFiles } from "../support/stores.ts";
import { hugePng, jpeg, mp4, png, rotatedJpeg } from "../support/samples.ts";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const inlineLimit = 5 * 1024 * 1024;

forEachStoreAndEngine("asset tools", (fixture, store) => {
  let service: RunningService;
  let owner: Caller;
  let client: ToolClient;
  let postId: string;
  before(async () => {
    service = await startAssetService(fixture, store, { env: { MAX_IMAGE_BYTES: "200000", MAX_ASSETS_PER_POST: "4" } });
    owner = await newStudio(service.deps);
    client = await connectToolClient(service, owner);
  });
  after(async () => {
    await client.close();
    await service.close();
  });
  const newPost = async () => (await client.callOk("create_post", { title: "A post" })).id;
  const uploadInline = async (bytes: Uint8Array, mimeType = "image/jpeg", kind = "image") =>
    (await client.callOk("upload_asset_inline", { kind, mimeType, base64: Buffer.from(bytes).toString("base64") }))
      .assetId;

  test("a file uploaded with PUT can be attached and read back (ASSET-1, ASSET-2, ASSET-5)", async () => {
    postId = await newPost();
    const bytes = await jpeg();
    const upload = await client.callOk("request_asset_upload", {
      kind: "image",
      mimeType: "image/jpeg",
      filename: "team.jpg",
    });
    assert.deepEqual(Object.keys(upload).toSorted(), ["assetId", "expiresAt", "uploadUrl"]);
    assert.ok(Math.abs(Date.parse(upload.expiresAt) - service.deps.clock() - minutes(10)) < 10_000);
    assert.equal(await client.callError("attach_asset", { postId, assetId: upload.assetId }), "not_uploaded");

    assert.equal(await putBytes(upload.uploadUrl, bytes), 200);
    const view = await client.callOk("attach_asset", { postId, assetId: upload.assetId });
    const expected = {
      id: upload.assetId,
      postId,
      kind: "image",
      mimeType: "image/jpeg",
      filename: "team.jpg",
      bytes: bytes.length,
      status: "ready",
    };
    assert.deepEqual(view, expected);
    assert.deepEqual(
      await client.callOk("attach_asset", { postId, assetId: upload.assetId }),
      expected,
      "attaching again returns the same view",
    );

    const post = await client.callOk("get_post", { postId, includeUrls: true });
    const [asset] = post.assets;
    const { url, thumbnailUrl, ...rest } = asset!;
    assert.deepEqual(rest, { ...expected, width: 64, height: 48 });
    assert.equal(sha256(await downloadBytes(url!)), sha256(bytes));
    const thumbnail = await fetch(thumbnailUrl!);
    assert.equal(thumbnail.headers.get("content-type"), "image/webp");
    assert.equal(thumbnail.headers.get("x-content-type-options"), "nosniff");
    assert.equal(Buffer.from(await thumbnail.arrayBuffer()).toString("latin1", 8, 12), "WEBP");
  });

  test("a second PUT with different bytes after attach does not change the served file (ASSET-18)", async () => {
    const post = await newPost();
    const bytes = await jpeg(100, 100);
    const { assetId, uploadUrl } = await client.callOk("request_asset_upload", {
      kind: "image",
      mimeType: "image/jpeg",
    });
    assert.equal(await putBytes(uploadUrl, bytes), 200);
    await client.callOk("attach_asset", { postId: post, assetId });
    assert.equal(await putBytes(uploadUrl, await png()), 200);
    assert.equal((await client.callOk("attach_asset", { postId: post, assetId })).bytes, bytes.length);
    const detail = await client.callOk("get_asset", { assetId, includeUrls: true });
    assert.equal(sha256(await downloadBytes(detail.url!)), sha256(bytes));
  });

  test("attaching a file that is too large deletes the object and the record, even if the store rejected the PUT (ASSET-7, U6)", async () => {
    for (const size of [200_001, 2_000_000]) {
      const { assetId, uploadUrl } = await client.callOk("request_asset_upload", {
        kind: "image",
        mimeType: "image/jpeg",
      });
      assert.equal(await putBytes(uploadUrl, Buffer.alloc(size, 7)).catch(() => 413), store === "disk" ? 413 : 200);
      assert.equal(await client.callError("attach_asset", { postId: await newPost(), assetId }), "too_large");
      assert.equal(await client.callError("attach_asset", { postId: await newPost(), assetId }), "not_found");
      assert.equal(await client.callError("get_asset", { assetId }), "not_found");
      assert.equal(await service.deps.files.stat(`incoming/${assetId}`), undefined);
    }
    const { assetId, uploadUrl } = await client.callOk("request_asset_upload", {
      kind: "image",
      mimeType: "image/jpeg",
    });
    assert.equal(await putBytes(uploadUrl, Buffer.alloc(200_000, 7)), 200);
    assert.equal((await client.callOk("attach_asset", { postId: await newPost(), assetId })).bytes, 200_000);
  });

  test("attaching a file whose type differs from the declared type deletes the object and the record (ASSET-8, U7)", async () => {
    const { assetId, uploadUrl } = await client.callOk("request_asset_upload", {
      kind: "image",
      mimeType: "image/jpeg",
    });
    await putBytes(uploadUrl, await png());
    assert.equal(await client.callError("attach_asset", { postId: await newPost(), assetId }), "type_mismatch");
    assert.equal(await client.callError("get_asset", { assetId }), "not_found");
    assert.equal(await service.deps.files.stat(`incoming/${assetId}`), undefined);
  });

  test("after an upload is rejected, the hints say to request a new URL, and a PUT to the old URL stores nothing permanently (ASSET-8, ASSET-7, ASSET-20)", async () => {
    const rejected: [code: string, bytes: Buffer][] = [
      ["type_mismatch", await png()],
      ["too_large", Buffer.alloc(200_001, 7)],
      ["too_large", hugePng(20_000, 20_000)],
      ["invalid_input", Buffer.alloc(0)],
    ];
    const mimeTypes = ["image/jpeg", "image/jpeg", "image/png", "image/jpeg"];
    for (const [i, [code, bytes]] of rejected.entries()) {
      const post = await newPost();
      const mimeType = mimeTypes[i] ?? "";
      const first = await client.callOk("request_asset_upload", { kind: "image", mimeType });
      await putBytes(first.uploadUrl, bytes).catch(() => {});
      const { structured } = await client.call("attach_asset", { postId: post, assetId: first.assetId });
      assert.equal(structured.code, code);
      assert.match(structured.hint, /request_asset_upload again/);
      assert.match(structured.message, /deleted/);

      const key = `incoming/${first.assetId}`;
      assert.equal(await putBytes(first.uploadUrl, await jpeg()), store === "disk" ? 410 : 200);
      if (store === "disk") assert.equal(await service.deps.files.stat(key), undefined, "nothing is stored");
      const again = await client.call("attach_asset", { postId: post, assetId: first.assetId });
      assert.equal(again.structured.code, "not_found");
      assert.match(again.structured.hint, /request_asset_upload for a new URL/);
      if (store === "s3") {
        const files = withOwnFiles(service.deps.files, (listedKey) => listedKey === key);
        const laterDeps: Deps = { ...service.deps, files, clock: () => service.deps.clock() + hours(2) };
        await createAssetSweeper(laterDeps)(untilDone);
        assert.equal(await service.deps.files.stat(key), undefined, "the bytes are swept");
      }

      const second = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/jpeg" });
      assert.equal(await putBytes(second.uploadUrl, await jpeg()), 200);
      assert.equal((await client.callOk("attach_asset", { postId: post, assetId: second.assetId })).status, "ready");
    }
  });

  test("after delete_asset, a PUT stores nothing permanently, and attach_asset returns the same error as for another studio's asset (ASSET-14, T1)", async () => {
    const post = await newPost();
    const { assetId, uploadUrl } = await client.callOk("request_asset_upload", {
      kind: "image",
      mimeType: "image/jpeg",
    });
    await client.callOk("delete_asset", { assetId });
    const response = await fetch(uploadUrl, { method: "PUT", body: await jpeg() });
    if (store === "disk") {
      assert.equal(response.status, 410);
      const problem = (await response.json()) as { code: string; hint: string };
      assert.equal(problem.code, "upload_expired");
      assert.match(problem.hint, /new upload URL/);
      assert.equal(await service.deps.files.stat(`incoming/${assetId}`), undefined);
    }
    const trashed = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/jpeg" });
    assert.equal(await putBytes(trashed.uploadUrl, await jpeg()), 200);
    await client.callOk("attach_asset", { postId: post, assetId: trashed.assetId });
    await client.callOk("detach_asset", { postId: post, assetId: trashed.assetId });
    await client.callOk("delete_asset", { assetId: trashed.assetId });
    assert.equal(await putBytes(trashed.uploadUrl, await jpeg()), store === "disk" ? 410 : 200);

    const stranger = await connectToolClient(service, await newStudio(service.deps));
    const theirs = await stranger.callOk("request_asset_upload", { kind: "image", mimeType: "image/jpeg" });
    const [deletedResult, otherStudioResult] = await Promise.all(
      [assetId, theirs.assetId].map((id) => client.call("attach_asset", { postId: post, assetId: id })),
    );
    assert.deepEqual(deletedResult?.structured, otherStudioResult?.structured);
    await stranger.close();
  });

  test("copy_asset returns { assetId }: an unattached copy that can be attached, and is served after its original was deleted (LIB-1, LIB-2)", async () => {
    const [first, second] = [await newPost(), await newPost()];
    const bytes = await jpeg(70, 50);
    const assetId = await uploadInline(bytes);
    await client.callOk("update_asset", { assetId, altText: "Our logo" });
    await client.callOk("attach_asset", { postId: first, assetId });
    const { structured } = await client.call("attach_asset", { postId: second, assetId });
    assert.equal(structured.code, "already_attached");
    assert.match(structured.hint, /copy_asset/);

    const copy = await client.callOk("copy_asset", { assetId });
    assert.deepEqual(Object.keys(copy), ["assetId"]);
    const [original, copied] = await Promise.all(
      [assetId, copy.assetId].map((id) => client.callOk("get_asset", { assetId: id, includeUrls: true })),
    );
    assert.deepEqual(
      [copied?.filename, copied?.altText, copied?.bytes, copied?.postId, copied?.width],
      [original?.filename, "Our logo", bytes.length, null, 70],
    );
    await client.callOk("attach_asset", { postId: second, assetId: copy.assetId });
    await client.callOk("detach_asset", { postId: first, assetId });
    await client.callOk("delete_asset", { assetId });
    await emptyTrash(service.deps, owner);
    const { url = "" } = await client.callOk("get_asset", { assetId: copy.assetId, includeUrls: true });
    assert.equal(sha256(await downloadBytes(url)), sha256(bytes));

    const pending = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/jpeg" });
    const notUploaded = await client.call("copy_asset", { assetId: pending.assetId });
    assert.equal(notUploaded.structured.code, "not_uploaded");
    assert.match(notUploaded.structured.hint, /attach_asset first/);
    const stranger = await connectToolClient(service, await newStudio(service.deps));
    assert.equal(await stranger.callError("copy_asset", { assetId: copy.assetId }), "not_found");
    await stranger.close();
  });

  test("attaching an empty upload deletes it (U6)", async () => {
    const { assetId, uploadUrl } = await client.callOk("request_asset_upload", {
      kind: "image",
      mimeType: "image/jpeg",
    });
    await putBytes(uploadUrl, Buffer.alloc(0));
    assert.equal(await client.callError("attach_asset", { postId: await newPost(), assetId }), "invalid_input");
    assert.equal(await client.callError("get_asset", { assetId }), "not_found");
  });

  test("after the upload URL has expired, attaching fails unless the file was uploaded in time (ASSET-9)", async () => {
    const post = await newPost();
    const unsent = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/png" });
    const sent = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/png" });
    await putBytes(sent.uploadUrl, await png());
    const laterDeps: Deps = { ...service.deps, clock: () => service.deps.clock() + minutes(10) + 1 };
    const attach = (assetId: string) => attachAsset(laterDeps, owner, { postId: post, assetId });
    assert.equal(await getOutcome(attach(unsent.assetId)), "upload_expired");
    assert.equal((await attach(sent.assetId)).status, "ready");
    if (store === "s3") return; // the S3 server's own clock has not advanced
    fixture.clock.advance(minutes(10) + 1);
    assert.equal(await putBytes(unsent.uploadUrl, await png()), 403);
  });

  test("an inline upload is ready at once and not attached to a post; exactly 5 × 1024 × 1024 bytes is too large, one byte less is stored (ASSET-3, ASSET-4)", async () => {
    const content = randomBytes(inlineLimit - 1);
    content[0] = 0; // matches no file signature
    const stored = await client.callOk("upload_asset_inline", {
      kind: "video",
      mimeType: "video/mp4",
      base64: content.toString("base64"),
    });
    assert.deepEqual(stored, { assetId: stored.assetId, bytes: inlineLimit - 1 });
    const detail = await client.callOk("get_asset", { assetId: stored.assetId, includeUrls: true });
    assert.deepEqual(
      [detail.status, detail.postId, detail.filename, detail.bytes],
      ["ready", null, "video.mp4", inlineLimit - 1],
    );
    assert.equal(sha256(await downloadBytes(detail.url!)), sha256(content));

    const tooLarge = Buffer.alloc(inlineLimit, 65).toString("base64");
    for (const [kind, mimeType] of [
      ["video", "video/mp4"],
      ["image", "image/svg+xml"],
      ["document", "nonsense"],
      ["audio", "audio/mpeg"],
      ["image", undefined],
    ]) {
      assert.equal(
        await client.callError("upload_asset_inline", { kind, mimeType, base64: tooLarge }),
        "inline_too_large_use_presign",
      );
    }
    assert.equal(
      await client.callError("upload_asset_inline", { base64: tooLarge, filename: "x".repeat(300) }),
      "inline_too_large_use_presign",
      "the size is checked before everything else",
    );
  });

  test("a detached asset keeps its bytes and can be attached to another post (ASSET-6, ASSET-11)", async () => {
    const [first, second] = [await newPost(), await newPost()];
    const bytes = await jpeg(90, 30);
    const assetId = await uploadInline(bytes);
    await client.callOk("attach_asset", { postId: first, assetId });
    assert.equal(await client.callError("attach_asset", { postId: second, assetId }), "already_attached");
    assert.equal(await client.callError("detach_asset", { postId: second, assetId }), "not_attached");
    assert.equal(await client.callError("delete_asset", { assetId }), "asset_in_use");
    assert.deepEqual(await client.callOk("detach_asset", { postId: first, assetId }), { detached: assetId });
    assert.equal(await client.callError("detach_asset", { postId: first, assetId }), "not_attached");
    assert.equal((await client.callOk("attach_asset", { postId: second, assetId })).postId, second);
    const [asset] = (await client.callOk("get_post", { postId: second, includeUrls: true })).assets;
    assert.equal(sha256(await downloadBytes(asset!.url!)), sha256(bytes));
    assert.deepEqual((await client.callOk("get_post", { postId: first })).assets, []);
  });

  test("delete_asset moves the asset to the trash; emptying it removes file, thumbnail and record (ASSET-14, TRASH-2, T11)", async () => {
    const assetId = await uploadInline(await jpeg(33, 33));
    const { url, thumbnailUrl } = await client.callOk("get_asset", { assetId, includeUrls: true });
    assert.equal((await fetch(thumbnailUrl!)).status, 200);
    assert.deepEqual(await client.callOk("delete_asset", { assetId }), { deleted: assetId });
    assert.equal(await client.callError("delete_asset", { assetId }), "not_found");
    assert.equal(await client.callError("get_asset", { assetId }), "not_found");
    const listKeys = async () => {
      const files = await service.deps.files.list(`files/${assetId}`, { limit: 10 });
      const thumbnails = await service.deps.files.list(`thumbs/${assetId}`, { limit: 10 });
      return [...files, ...thumbnails].map(({ key }) => key);
    };
    assert.equal((await listKeys()).length, 2, "the trash keeps the file and its thumbnail");
    await emptyTrash(service.deps, owner);
    assert.equal((await fetch(url!)).status, 404);
    assert.equal((await fetch(thumbnailUrl!)).status, 404);
    assert.deepEqual(await listKeys(), []);
  });

  test("rejects attaches beyond the per-post limit until a position is free again (ASSET-10)", async () => {
    const post = await newPost();
    const bytes = await jpeg(20, 20);
    const ids = await Promise.all(Array.from({ length: 5 }, () => uploadInline(bytes)));
    for (const assetId of ids.slice(0, 4)) await client.callOk("attach_asset", { postId: post, assetId });
    assert.equal(await client.callError("attach_asset", { postId: post, assetId: ids[4] }), "asset_limit_reached");
    const pending = await client.callOk("request_asset_upload", { kind: "image", mimeType: "image/jpeg" });
    await putBytes(pending.uploadUrl, bytes);
    assert.equal(
      await client.callError("attach_asset", { postId: post, assetId: pending.assetId }),
      "asset_limit_reached",
    );
    await client.callOk("detach_asset", { postId: post, assetId: ids[0] });
    assert.equal((await client.callOk("attach_asset", { postId: post, assetId: pending.assetId })).status, "ready");
    const order = (await client.callOk("get_post", { postId: post })).assets.map(({ id }) => id);
    assert.deepEqual(order, [ids[1], ids[2], ids[3], pending.assetId]);
  });

  test("update_post reorders assets, and rejects a list that is not exactly the post's assets (ASSET-13)", async () => {
    const post = await newPost();
    const bytes = await jpeg(21, 20);
    const ids = await Promise.all(Array.from({ length: 3 }, () => uploadInline(bytes)));
    for (const assetId of ids) await client.callOk("attach_asset", { postId: post, assetId });
    const reversed = ids.toReversed();
    const updated = await client.callOk("update_post", { postId: post, assetIds: reversed });
    assert.deepEqual(
      updated.assets.map(({ id }) => id),
      reversed,
    );
    assert.deepEqual(
      (await client.callOk("get_post", { postId: post })).assets.map(({ id }) => id),
      reversed,
    );
    const unattached = await uploadInline(bytes);
    for (const assetIds of [
      [],
      ids.slice(1),
      [...ids, ids[0]],
      [ids[0], ids[0], ids[1]],
      [ids[0], ids[1], unattached],
    ]) {
      assert.equal(await client.callError("update_post", { postId: post, assetIds }), "invalid_input");
    }
    const { posts } = (await client.callOk("list_posts", { limit: 1 })) as unknown as {
      posts: { assets: { id: string }[] }[];
    };
    assert.deepEqual(
      posts[0]!.assets.map(({ id }) => id),
      reversed,
    );
  });

  test("list_assets returns pages, newest first and filtered, and rejects a cursor from another list (ASSET-14, T8)", async () => {
    const otherClient = await connectToolClient(service, await newStudio(service.deps));
    const upload = async (kind: string, mimeType: string, bytes: Buffer) =>
      (await otherClient.callOk("upload_asset_inline", { kind, mimeType, base64: bytes.toString("base64") })).assetId;
    const image = await upload("image", "image/png", await png());
    const video = await upload("video", "video/mp4", mp4());
    const text = await upload("document", "text/plain", Buffer.from("hello"));
    const post = (await otherClient.callOk("create_post", { title: "x" })).id;
    await otherClient.callOk("attach_asset", { postId: post, assetId: video });
    const ids = async (args: Record<string, unknown>) =>
      (await otherClient.callOk("list_assets", args)).assets.map(({ id }) => id);
    assert.deepEqual(await ids({}), [text, video, image]);
    assert.deepEqual(await ids({ unattached: true }), [text, image]);
    assert.deepEqual(await ids({ kind: "video" }), [video]);
    assert.deepEqual(await ids({ kind: "image", unattached: true }), [image]);
    const page = await otherClient.callOk("list_assets", { limit: 2 });
    assert.deepEqual(Object.keys(page.assets[0]!).toSorted(), [
      "bytes",
      "filename",
      "id",
      "kind",
      "mimeType",
      "postId",
      "status",
    ]);
    assert.deepEqual(await ids({ limit: 2, cursor: page.nextCursor }), [image]);
    assert.equal(
      await otherClient.callError("list_assets", { kind: "image", cursor: page.nextCursor }),
      "invalid_input",
    );
    assert.equal(await client.callError("list_assets", { cursor: page.nextCursor }), "invalid_input");
    for (const limit of [0, -1, 1e9])
      assert.equal(await otherClient.callError("list_assets", { limit }), "invalid_input");
    await otherClient.close();
  });

  test("every tool returns not_found for malformed ids and ids of another studio (T2)", async () => {
    const stranger = await connectToolClient(service, await newStudio(service.deps));
    const theirs = await stranger.callOk("create_post", { title: "theirs" });
    const theirAsset = (
      await stranger.callOk("upload_asset_inline", {
        kind: "image",
        mimeType: "image/png",
        base64: (await png()).toString("base64"),
      })
    ).assetId;
    const ours = await newPost();
    const ourAsset = await uploadInline(await jpeg(22, 22));
    for (const assetId of [theirAsset, "ast_nothing", "", "../../etc/passwd", ourAsset.toUpperCase()]) {
      assert.equal(await client.callError("attach_asset", { postId: ours, assetId }), "not_found");
      assert.equal(await client.callError("detach_asset", { postId: ours, assetId }), "not_found");
      for (const tool of ["get_asset", "delete_asset"])
        assert.equal(await client.callError(tool, { assetId }), "not_found");
      assert.equal(await client.callError("update_asset", { assetId, altText: "x" }), "not_found");
    }
    for (const post of [theirs.id, "pst_nothing", ""]) {
      assert.equal(await client.callError("attach_asset", { postId: post, assetId: ourAsset }), "not_found");
      assert.equal(await client.callError("detach_asset", { postId: post, assetId: ourAsset }), "not_found");
    }
    assert.equal(
      await client.callError("attach_asset", { postId: ours, assetId: ourAsset, studioId: "std_x" }),
      "invalid_input",
    );
    await stranger.close();
  });

  test("update_asset changes only alt text and filename (ASSET-14)", async () => {
    const assetId = await uploadInline(await jpeg(23, 22));
    const updated = await client.callOk("update_asset", {
      assetId,
      altText: " A red square ",
      filename: "../../red.jpg",
    });
    assert.deepEqual([updated.altText, updated.filename, updated.width], ["A red square", "red.jpg", 23]);
    assert.equal((await client.callOk("update_asset", { assetId, altText: "" })).altText, undefined);
    assert.equal(await client.callError("update_asset", { assetId }), "invalid_input");
    assert.equal(await client.callError("update_asset", { assetId, filename: "\u202e" }), "invalid_input");
  });

  test("previews for the model are up to four upright images of at most 512 px without location metadata (ASSET-12, U20)", async () => {
    const post = await newPost();
    const bytes = await rotatedJpeg();
    const ids = [
      await uploadInline(bytes),
      await uploadInline(await jpeg(2000, 1000)),
      await uploadInline(mp4(), "video/mp4", "video"),
    ];
    for (const assetId of ids) await client.callOk("attach_asset", { postId: post, assetId });
    const { images, structured } = await client.call("get_post", {
      postId: post,
      includePreviews: true,
      includeUrls: true,
    });
    assert.equal(images.length, 2);
    assert.equal(images[0]!.mimeType, "image/webp");
    const { default: sharp } = await import("sharp");
    const rotated = await sharp(Buffer.from(images[0]!.data, "base64")).metadata();
    assert.deepEqual([rotated.width, rotated.height, rotated.exif], [40, 80, undefined]);
    const large = await sharp(Buffer.from(images[1]!.data, "base64")).metadata();
    assert.deepEqual([large.width, large.height], [512, 256]);
    assert.deepEqual(
      structured.assets.map(({ width, height, durationMs }) => [width, height, durationMs]),
      [
        [40, 80, undefined],
        [2000, 1000, undefined],
        [640, 360, 2500],
      ],
    );
    assert.equal(sha256(await downloadBytes(structured.assets[0]!.url!)), sha256(bytes), "the original is unchanged");
    assert.equal((await client.call("get_post", { postId: post })).images.length, 0);
    assert.equal((await client.call("get_asset", { assetId: ids[0], includePreview: true })).images.length, 1);
    assert.equal((await client.call("get_asset", { assetId: ids[2], includePreview: true })).images.length, 0);
  });

  test("accepts padded standard base64 with whitespace inline, and rejects all other variants (ASSET-24, U9)", async () => {
    const file = Buffer.from("hello, world");
    const valid = file.toString("base64");
    const send = (base64: string) =>
      client.call("upload_asset_inline", { kind: "document", mimeType: "text/plain", base64 });
    assert.equal((await send(valid)).structured.bytes, file.length);
    assert.equal(
      (await send(` ${valid.slice(0, 4)}\r\n\t${valid.slice(4)}\n`)).structured.bytes,
      file.length,
      "whitespace is skipped",
    );
    for (const invalid of [
      "@@@@",
      valid.slice(0, -1),
      `${valid}=`,
      `data:text/plain;base64,${valid}`,
      "aGVsbG8",
      "AA==AAAA",
      "A===",
      "-_-_",
      "été=",
    ]) {
      assert.equal((await send(invalid)).structured.code, "invalid_input", invalid);
    }
    for (const empty of ["", " \n "]) assert.equal((await send(empty)).structured.code, "invalid_input");
    const wrapped = randomBytes(inlineLimit - 1)
      .toString("base64")
      .replace(/.{76}/g, "$&\n");
    assert.equal(
      (await client.call("upload_asset_inline", { kind: "video", mimeType: "video/mp4", base64: wrapped })).structured
        .bytes,
      inlineLimit - 1,
    );
    for (const size of [4_999_999, 5_000_000]) {
      const base64 = Buffer.alloc(size, 66).toString("base64");
      assert.equal((await send(base64)).structured.bytes, size);
    }
  });

  test("presigned and inline uploads reject a type that the kind does not accept (ASSET-17)", async () => {
    for (const [kind, mimeType] of [
      ["image", "image/svg+xml"],
      ["document", "text/html"],
      ["image", "video/mp4"],
      ["document", "application/zip"],
      ["image", ""],
    ]) {
      assert.equal(await client.callError("request_asset_upload", { kind, mimeType }), "unsupported_type");
      assert.equal(
        await client.callError("upload_asset_inline", { kind, mimeType, base64: "aGVsbG8=" }),
        "unsupported_type",
      );
    }
    assert.equal(
      await client.callError("request_asset_upload", { kind: "audio", mimeType: "audio/mpeg" }),
      "invalid_input",
    );
    assert.ok(await client.callOk("request_asset_upload", { kind: "document", mimeType: "Text/Plain; charset=utf-8" }));
  });

  test("file names are only display text: sanitized, and never part of a path (ASSET-21, U13)", async () => {
    const cases: [string, string][] = [
      ["../../etc/passwd", "passwd"],
      ["..%2f..%2fx.jpg", "..%2f..%2fx.jpg"],
      ["C:\\temp\\a.jpg", "a.jpg"],
      ["a\r\nb: c.jpg", "ab: c.jpg"],
      ["\u202egpj.exe", "gpj.exe"],
      ['"; filename=x', '"; filename=x'],
      ["../", "image.jpg"],
      ["👨‍👩‍👧.jpg", "👨‍👩‍👧.jpg"],
    ];
    const base64 = (await jpeg(24, 24)).toString("base64");
    for (const [filename, sanitized] of cases) {
      const { assetId } = await client.callOk("upload_asset_inline", {
        kind: "image",
        mimeType: "image/jpeg",
        base64,
        filename,
      });
      const detail = await client.callOk("get_asset", { assetId, includeUrls: true });
      assert.equal(detail.filename, sanitized);
      const { headers } = await fetch(detail.url!);
      assert.match(headers.get("content-disposition") ?? "", /^inline; filename="[^"]*"/);
    }
    for (const filename of ["a\0b.jpg", "x".repeat(256), "x".repeat(4096)]) {
      assert.equal(
        await client.callError("upload_asset_inline", { kind: "image", mimeType: "image/jpeg", base64, filename }),
        "invalid_input",
      );
    }
  });

  test("text is served only as a download (ASSET-22)", async () => {
    const assetId = await uploadInline(Buffer.from("# Title\n<div>not run</div>\n"), "text/markdown", "document");
    const { url } = await client.callOk("get_asset", { assetId, includeUrls: true });
    const { headers } = await fetch(url!);
    assert.match(headers.get("content-disposition") ?? "", /^attachment/);
    if (store === "s3") return; // S3 serves files from another origin, without access to our pages
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /sandbox/);
  });

  test("whoami returns the configured limits", async () => {
    const who = (await client.callOk("whoami")) as unknown as { limits: { kinds: { image: { maxBytes: number } } } };
    assert.equal(who.limits.kinds.image.maxBytes, 200_000);
  });
});
