import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { migrationsFolder } from "#db/open-database.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { FileStore } from "#domain/ports/file-store.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { reschedulePublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import type { S3Store } from "#storage/s3/s3-store.ts";
import { hours, systemClock } from "#lib/clock.ts";
import { forEachStoreAndEngine } from "../support/asset-fixture.ts";
import { fromNow } from "../support/clock.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { queryDatabase } from "../support/migrations.ts";
import { startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { openTestS3, putBytes, readDigest, sha256 } from "../support/stores.ts";

/** Two files with the same size and MD5 digest (X. Wang, H. Yu: How to Break MD5 and Other Hash Functions, 2005). */
const approvedFile = Buffer.from(
  "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a" +
    "085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0" +
    "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70",
  "hex",
);
const forgedFile = Buffer.from(approvedFile);
for (const offset of [19, 45, 59, 83, 109, 123]) forgedFile[offset] = (forgedFile[offset] ?? 0) ^ 0x80;

test("the two files differ, and have the same MD5 digest", () => {
  const md5 = (file: Buffer) => createHash("md5").update(file).digest("hex");
  assert.notDeepEqual(approvedFile, forgedFile);
  assert.equal(md5(approvedFile), md5(forgedFile));
});

forEachStoreAndEngine("files of an approved publication", (fixture, storeName) => {
  let publishing: PublishingFixture;
  let client: Awaited<ReturnType<typeof actThroughDrafter>>;
  let files: HookedFiles | S3Store;
  let connectionId: string;
  let postId: string;
  let approvedId: string;
  let publicationId: string;
  before(async () => {
    files = storeName === "disk" ? createHookedFiles(systemClock) : await openTestS3();
    publishing = await startPublishing(fixture, ["harbour"], { files });
    [connectionId = ""] = publishing.connectionIds;
    const { service, owner } = publishing;
    client = await actThroughDrafter(service.deps, owner);
  });
  after(async () => {
    await publishing.close();
    if (files.name === "s3") (files as S3Store).close();
  });
  /** An owner schedules a post whose account receives one of its files. */
  beforeEach(async () => {
    postId = (await createPost(deps(), client, { title: "Title", body: `Body ${Math.random()}` })).id;
    approvedId = await attach(approvedFile);
    await select(approvedId);
    await schedule();
  });

  const deps = () => publishing.service.deps;
  async function schedule(): Promise<void> {
    const input = { postId, connectionIds: [connectionId], at: fromNow(hours(1)) };
    const { publications } = await publishPost(deps(), publishing.owner, input);
    publicationId = publications[0]?.id ?? "";
  }
  async function request(): Promise<{ assetId: string; send: (file: Buffer) => Promise<void> }> {
    const input = { kind: "video", mimeType: "video/mp4", filename: "video.mp4" } as const;
    const { assetId, uploadUrl } = await requestAssetUpload(deps(), client, input);
    const send = async (file: Buffer) => {
      if ("put" in files) await files.put(uploadUrl.replace("disk:", ""), file);
      else assert.equal(await putBytes(uploadUrl, file), 200);
    };
    return { assetId, send };
  }
  async function attach(file: Buffer): Promise<string> {
    const { assetId, send } = await request();
    await send(file);
    await attachAsset(deps(), client, { postId, assetId });
    return assetId;
  }
  /** The client chooses the file that the account receives. */
  async function select(assetId: string): Promise<void> {
    const post = await deps().posts.find(client.studio.id, postId);
    const variants = [{ connectionId, assetIds: [assetId] }];
    await updatePost(deps(), client, { postId, revision: post?.revision ?? 0, variants });
  }
  const readState = async () => (await deps().publications.find(client.studio.id, publicationId))?.state;
  const query = (sql: string) => queryDatabase(fixture.location, sql);
  const countPublished = async () => (await publishing.listSandboxPosts()).length;
  /** Makes the publication due, and waits until it has ended. */
  async function run(): Promise<string> {
    const at = fromNow(0);
    await reschedulePublication(deps(), publishing.owner, { publicationId, at });
    return (await publishing.waitForState(publicationId, "published", "proposed", "failed")).state;
  }
  /** Removes what migration 0029 stored, and runs its statement that stores it. The columns stay, for running processes. */
  async function upgrade(): Promise<void> {
    const migration = readFileSync(join(migrationsFolder, `0029-approved-files.${fixture.engine}.sql`), "utf8");
    await query("UPDATE publications SET file_keys = NULL, voided_digest = NULL");
    await query(migration.slice(migration.indexOf("UPDATE publications")));
  }

  test("a second file with the same MD5 digest, size and type returns the publication for approval (PUB-4, F3)", async () => {
    await select(await attach(forgedFile));
    assert.equal(await readState(), "proposed");
  });

  test("a second file is not published even if the publication still has its approval (PUB-4, F3)", async () => {
    const publishedBefore = await countPublished();
    const forgedId = await attach(forgedFile);
    const variants = JSON.stringify([{ connectionId, assetIds: [forgedId] }]);
    await query(`UPDATE posts SET variants = '${variants}' WHERE id = '${postId}'`);
    assert.deepEqual([await run(), await countPublished()], ["proposed", publishedBefore]);
  });

  test("a copy of the approved file keeps the approval, because it has the same stored file (PUB-4, LIB-2)", async () => {
    const { assetId } = await copyAsset(deps(), client, { assetId: approvedId });
    await attachAsset(deps(), client, { postId, assetId });
    await select(assetId);
    assert.deepEqual([await readState(), await run()], ["scheduled", "published"]);
  });

  test("a second file that is sent while the first is attached does not replace it (ASSET-18, F3)", async () => {
    const { assetId, send } = await request();
    await send(approvedFile);
    let hasPromoted = false;
    const hookedFiles: FileStore = {
      ...files,
      async promote(...args) {
        const storedFile = await files.promote(...args);
        if (hasPromoted) return storedFile;
        hasPromoted = true;
        await send(forgedFile);
        await attachAsset(deps(), client, { postId, assetId });
        return storedFile;
      },
    };
    await attachAsset({ ...deps(), files: hookedFiles }, client, { postId, assetId });
    const { storageKey } = (await deps().assets.find(client.studio.id, assetId)) ?? {};
    assert.equal(await readDigest(files, storageKey ?? ""), sha256(storeName === "s3" ? approvedFile : forgedFile));
  });

  test("a publication that was approved before the upgrade keeps its approval until the file changes (PUB-4, RUN-7)", async () => {
    const forgedId = await attach(forgedFile);
    await upgrade();
    await updatePost(deps(), client, { postId, tags: ["upgraded"] });
    await select(approvedId);
    assert.equal(await readState(), "scheduled");
    await select(forgedId);
    assert.equal(await readState(), "proposed");
  });

  test("a publication that was approved before the upgrade is published after it (PUB-4, RUN-7)", async () => {
    await upgrade();
    assert.equal(await run(), "published");
  });

  test("the upgrade keeps the order of all files if the account has no choice of its own (PUB-4, RUN-7)", async () => {
    const { revision = 0 } = (await deps().posts.find(client.studio.id, postId)) ?? {};
    const secondId = await attach(Buffer.concat([approvedFile, approvedFile]));
    await updatePost(deps(), publishing.owner, { postId, revision: revision + 1, variants: [] });
    await updatePost(deps(), publishing.owner, { postId, assetIds: [secondId, approvedId] });
    const [before] = await query(`SELECT * FROM publications WHERE id = '${publicationId}'`);
    await upgrade();
    const [row] = await query(`SELECT * FROM publications WHERE id = '${publicationId}'`);
    assert.deepEqual(row, before);
    assert.equal(row?.["file_keys"] === null, storeName === "disk");
  });

  test("a request by a process of the previous version is published, but a client's choice of another file is not (PUB-4, RUN-7, F3)", async () => {
    const writeAsBefore = () => query(`UPDATE publications SET file_keys = NULL WHERE id = '${publicationId}'`);
    await writeAsBefore();
    assert.equal(await run(), "published");
    await schedule();
    const forgedId = await attach(forgedFile);
    await writeAsBefore();
    await select(forgedId);
    assert.equal(await readState(), "proposed");
  });

  test("an approval that a process of the previous version removed stays removed after an owner's edit (PUB-4, PUB-11)", async () => {
    await query(
      `UPDATE publications SET state = 'missed', due_at = NULL, next_run_at = NULL, digest = ''
         WHERE id = '${publicationId}'`,
    );
    await updatePost(deps(), publishing.owner, { postId, title: "Another title" });
    const at = fromNow(hours(2));
    const { state } = await reschedulePublication(deps(), publishing.owner, { publicationId, at });
    assert.equal(state, "proposed");
  });
});
