import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Database } from "#db/client.ts";
import { openDatabase } from "#db/open-database.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createLostFileFinder } from "#domain/assets/lifecycle/sweep-assets.ts";
import { previewAssets } from "#domain/assets/thumbnails.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { startFaultyProxy, type Fault, type FaultyProxy } from "../support/faulty-proxy.ts";
import { getOutcome } from "../support/outcome.ts";
import { newStudio } from "../support/users.ts";
import { jpeg } from "../support/samples.ts";
import { readDigest, openTestS3, putBytes, sha256, listStoreNames, getTestS3Settings } from "../support/stores.ts";

describe("an S3 store that lies", { skip: !listStoreNames().includes("s3") }, () => {
  let location: TemporaryDatabase;
  let database: Database;
  let proxy: FaultyProxy;
  let files: S3Store;
  let direct: S3Store;
  let deps: Deps;
  let owner: Caller;
  let picture: Buffer;

  before(async () => {
    location = await createTemporaryDatabase("sqlite");
    database = await openDatabase({ ...location, log: silentLog });
    proxy = await startFaultyProxy(getTestS3Settings().endpoint ?? "");
    files = await openTestS3({ settings: { endpoint: proxy.endpoint, publicEndpoint: getTestS3Settings().endpoint } });
    direct = await openTestS3();
    deps = { ...createDeps(database, systemClock), files };
    owner = await newStudio(deps);
    picture = await jpeg();
  });
  after(async () => {
    files?.close();
    direct?.close();
    await proxy?.close();
    await database?.close();
    await location?.remove();
  });

  const lie = (fault: Fault | undefined, method: string) =>
    void (proxy.chooseFault = (req: IncomingMessage) => (req.method === method ? fault : undefined));
  const tellTruth = () => void (proxy.chooseFault = () => undefined);

  async function uploaded(): Promise<{ postId: string; assetId: string }> {
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const { assetId, uploadUrl } = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" });
    assert.equal(await putBytes(uploadUrl, picture), 200);
    return { postId, assetId };
  }
  const find = (assetId: string) => deps.assets.find(owner.studio.id, assetId);
  const keyOf = async (assetId: string) => (await find(assetId))?.storageKey ?? "";

  test("half a file while it is attached: it is not made ready, and is once the store tells the truth (S4)", async () => {
    const upload = await uploaded();
    lie("short", "GET");
    assert.equal(await getOutcome(attachAsset(deps, owner, upload)), "storage_unavailable");
    assert.equal((await find(upload.assetId))?.status, "pending");
    tellTruth();
    assert.equal((await attachAsset(deps, owner, upload)).status, "ready");
    assert.equal(await readDigest(direct, await keyOf(upload.assetId)), sha256(picture));
  });

  test("other bytes while it is attached: what is kept and served is what was sent, whatever we were shown (S4)", async () => {
    const upload = await uploaded();
    lie("altered", "GET");
    await attachAsset(deps, owner, upload);
    tellTruth();
    assert.equal(await readDigest(direct, await keyOf(upload.assetId)), sha256(picture));
  });

  test("short or altered when a preview is made: none is shown, none is kept, and the next one is right (S4)", async () => {
    for (const fault of ["short", "altered"] as const) {
      const upload = await uploaded();
      await attachAsset(deps, owner, upload);
      lie(fault, "GET");
      assert.deepEqual(await previewAssets(deps, owner, [upload.assetId]), [], fault);
      tellTruth();
      const [preview] = await previewAssets(deps, owner, [upload.assetId]);
      assert.equal(preview?.mimeType, "image/webp");
    }
  });

  test("a file that has become another is found by the look at stored files (S4, S8)", async () => {
    const upload = await uploaded();
    await attachAsset(deps, owner, upload);
    const look = createLostFileFinder(deps);
    assert.deepEqual(await look(), []);
    lie("other-tag", "HEAD");
    assert.ok((await look()).some(({ id }) => id === upload.assetId));
    tellTruth();
  });
});
