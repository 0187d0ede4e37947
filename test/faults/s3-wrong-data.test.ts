import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Database } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createLostFileFinder } from "#domain/jobs/sweep-files.ts";
import { previewAssets } from "#domain/assets/thumbnails.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { createMediaReader } from "#media/media-reader.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { startFaultyProxy, type Fault, type FaultyProxy } from "../support/faulty-proxy.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { jpeg } from "../support/samples.ts";
import { readDigest, openTestS3, putBytes, sha256, getTestS3Settings, skipWithoutS3 } from "../support/stores.ts";

describe("an S3 store that returns wrong data", { skip: skipWithoutS3 }, () => {
  let location: TemporaryDatabase;
  let database: Database;
  let proxy: FaultyProxy;
  let files: S3Store;
  let directFiles: S3Store;
  let deps: Deps;
  let owner: Caller;
  let image: Buffer;

  before(async () => {
    location = await createTemporaryDatabase("sqlite");
    database = await openDatabase({ ...location, log: silentLog });
    proxy = await startFaultyProxy(getTestS3Settings().endpoint ?? "");
    files = await openTestS3({ settings: { endpoint: proxy.endpoint, publicEndpoint: getTestS3Settings().endpoint } });
    directFiles = await openTestS3();
    deps = { ...createDeps(database, systemClock), files };
    owner = await newStudio(deps);
    image = await jpeg();
  });
  after(async () => {
    files?.close();
    directFiles?.close();
    await proxy?.close();
    await database?.close();
    await location?.remove();
  });

  const injectFault = (fault: Fault | undefined, method: string) =>
    void (proxy.chooseFault = (req: IncomingMessage) => (req.method === method ? fault : undefined));
  const removeFault = () => void (proxy.chooseFault = () => undefined);

  async function uploadImage(): Promise<{ postId: string; assetId: string }> {
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const { assetId, uploadUrl } = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" });
    assert.equal(await putBytes(uploadUrl, image), 200);
    return { postId, assetId };
  }
  const findAsset = (assetId: string) => deps.assets.find(owner.studio.id, assetId);
  const getKey = async (assetId: string) => (await findAsset(assetId))?.storageKey ?? "";

  test("a truncated response during attach: the asset stays pending, and a retry without the fault succeeds (S4)", async () => {
    const upload = await uploadImage();
    injectFault("short", "GET");
    assert.equal(await getOutcome(attachAsset(deps, owner, upload)), "storage_unavailable");
    assert.equal((await findAsset(upload.assetId))?.status, "pending");
    removeFault();
    assert.equal((await attachAsset(deps, owner, upload)).status, "ready");
    assert.equal(await readDigest(directFiles, await getKey(upload.assetId)), sha256(image));
  });

  test("altered bytes during attach: the stored file contains the uploaded bytes (S4)", async () => {
    const upload = await uploadImage();
    injectFault("altered", "GET");
    await attachAsset(deps, owner, upload);
    removeFault();
    assert.equal(await readDigest(directFiles, await getKey(upload.assetId)), sha256(image));
  });

  test("truncated or altered bytes while a thumbnail is generated: no thumbnail is returned or stored, and the next one is correct (S4)", async () => {
    for (const fault of ["short", "altered"] as const) {
      const upload = await uploadImage();
      await attachAsset(deps, owner, upload);
      injectFault(fault, "GET");
      assert.deepEqual(await previewAssets(deps, owner, [upload.assetId]), [], fault);
      removeFault();
      // This process doesn't try an unreadable image again for ten minutes; another one does.
      const media = createMediaReader();
      const [thumbnail] = await previewAssets({ ...deps, media }, owner, [upload.assetId]);
      media.close();
      assert.equal(thumbnail?.mimeType, "image/webp");
    }
  });

  test("the job that looks for lost files reports a changed file (S4, S8)", async () => {
    const upload = await uploadImage();
    await attachAsset(deps, owner, upload);
    const findLostFiles = createLostFileFinder(deps);
    assert.deepEqual(await findLostFiles(), []);
    injectFault("other-etag", "HEAD");
    assert.ok((await findLostFiles()).some(({ id }) => id === upload.assetId));
    removeFault();
  });
});
