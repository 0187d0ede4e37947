import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Database } from "#db/client.ts";
import { openDatabase } from "#db/open.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { createLostFileSearch } from "#domain/assets/find-lost-files.ts";
import { previewAssets } from "#domain/assets/thumbnails.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import type { S3Store } from "#storage/s3.ts";
import { createDeps, createPlace, silent, type PlaceOfOwn } from "../support/engines.ts";
import { startFaultyProxy, type Fault, type FaultyProxy } from "../support/faulty-proxy.ts";
import { outcome } from "../support/outcome.ts";
import { newStudio } from "../support/people.ts";
import { jpeg } from "../support/samples.ts";
import { digestAt, openTestS3, put, sha256, storeNames, testS3 } from "../support/stores.ts";

describe("an S3 store that lies", { skip: !storeNames().includes("s3") }, () => {
  let place: PlaceOfOwn;
  let database: Database;
  let proxy: FaultyProxy;
  let files: S3Store;
  let direct: S3Store;
  let deps: Deps;
  let owner: Caller;
  let picture: Buffer;

  before(async () => {
    place = await createPlace("sqlite");
    database = await openDatabase({ ...place, log: silent });
    proxy = await startFaultyProxy(testS3().endpoint ?? "");
    files = await openTestS3({ at: { endpoint: proxy.endpoint, publicEndpoint: testS3().endpoint } });
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
    await place?.remove();
  });

  const lie = (fault: Fault | undefined, method: string) =>
    void (proxy.judge = (req: IncomingMessage) => (req.method === method ? fault : undefined));
  const tellTruth = () => void (proxy.judge = () => undefined);

  async function uploaded(): Promise<{ postId: string; assetId: string }> {
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const { assetId, uploadUrl } = await requestAssetUpload(deps, owner, { kind: "image", mimeType: "image/jpeg" });
    assert.equal(await put(uploadUrl, picture), 200);
    return { postId, assetId };
  }
  const find = (assetId: string) => deps.assets.find(owner.studio.id, assetId);
  const keyOf = async (assetId: string) => (await find(assetId))?.storageKey ?? "";

  test("[S4] half a file while it is attached: it is not made ready, and is once the store tells the truth", async () => {
    const upload = await uploaded();
    lie("short", "GET");
    assert.equal(await outcome(attachAsset(deps, owner, upload)), "storage_unavailable");
    assert.equal((await find(upload.assetId))?.status, "pending");
    tellTruth();
    assert.equal((await attachAsset(deps, owner, upload)).status, "ready");
    assert.equal(await digestAt(direct, await keyOf(upload.assetId)), sha256(picture));
  });

  test("[S4] other bytes while it is attached: what is kept and served is what was sent, whatever we were shown", async () => {
    const upload = await uploaded();
    lie("altered", "GET");
    await attachAsset(deps, owner, upload);
    tellTruth();
    assert.equal(await digestAt(direct, await keyOf(upload.assetId)), sha256(picture));
  });

  test("[S4] short or altered when a preview is made: none is shown, none is kept, and the next one is right", async () => {
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

  test("[S4] [S8] a file that has become another is found by the look at stored files", async () => {
    const upload = await uploaded();
    await attachAsset(deps, owner, upload);
    const look = createLostFileSearch(deps);
    assert.deepEqual(await look(), []);
    lie("other-tag", "HEAD");
    assert.ok((await look()).some(({ id }) => id === upload.assetId));
    tellTruth();
  });
});
