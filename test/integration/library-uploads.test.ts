import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { getAsset } from "#domain/assets/get-asset.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { cancelFile, completeFile, describeUploadPage, setAltText } from "#domain/uploads/files.ts";
import { createPartUrls } from "#domain/uploads/reserve-parts.ts";
import { createLibraryUploadLink } from "#domain/uploads/create-upload-link.ts";
import { startFile, type StartedFile } from "#domain/uploads/start-file.ts";
import { sweepUploads } from "#domain/jobs/sweep-files.ts";
import { resolveUploadCaller } from "#domain/uploads/upload-link.ts";
import { minutes } from "#lib/clock.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { createHookedFiles, type HookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { jpeg } from "../support/samples.ts";
import { newMember, newStudio } from "../support/users.ts";

const image = await jpeg();

interface Library {
  deps: Deps;
  files: HookedFiles;
  owner: Caller;
  token: string;
}

async function createLibrary(
  fixture: Fixture,
  { limits = {}, isByMember = false }: { limits?: Partial<Deps["limits"]>; isByMember?: boolean } = {},
): Promise<Library & { creator: Caller }> {
  const files = createHookedFiles(fixture.clock);
  const deps: Deps = { ...fixture.deps, files, limits: { ...fixture.deps.limits, ...limits } };
  const owner = await newStudio(deps);
  const creator = isByMember ? await newMember(deps, owner, "member") : owner;
  const { token } = await createLibraryUploadLink(deps, creator);
  return { deps, files, owner, creator, token };
}

const resolveCaller = ({ deps, token }: Library) => resolveUploadCaller(deps, token);

const start = async (library: Library, name = "logo.jpg"): Promise<StartedFile> =>
  startFile(library.deps, await resolveCaller(library), { name, size: image.length, lastModified: 1, type: "" });

async function send(library: Library, { file }: StartedFile): Promise<void> {
  const input = { fileId: file.id, parts: [1] };
  const { urls } = await createPartUrls(library.deps, await resolveCaller(library), input);
  assert.ok(await library.files.parts.send(urls[0]?.url ?? "", image));
}

const complete = async (library: Library, { file }: StartedFile) =>
  completeFile(library.deps, await resolveCaller(library), { fileId: file.id });

async function upload(library: Library): Promise<string> {
  const startedFile = await start(library);
  await send(library, startedFile);
  return (await complete(library, startedFile)).id;
}

forEachEngine("uploads to the library", (fixture) => {
  test("a file sent without a post is ready in the library, unattached, and can be attached and copied (LIB-3)", async () => {
    const library = await createLibrary(fixture, { isByMember: true });
    const { deps, owner } = library;
    const assetId = await upload(library);
    const asset = await getAsset(deps, owner, { assetId });
    assert.deepEqual([asset.status, asset.postId, asset.bytes, asset.width], ["ready", null, image.length, 64]);
    assert.deepEqual(
      (await listAssets(deps, owner, { unattached: true, limit: 10 })).assets.map(({ id }) => id),
      [assetId],
    );
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const copy = await copyAsset(deps, owner, { assetId });
    for (const id of [assetId, copy.assetId])
      assert.equal((await attachAsset(deps, owner, { postId, assetId: id })).postId, postId);
    const activity = fixture.database.q.selectFrom("activity").select("action").where("subjectId", "=", assetId);
    assert.deepEqual(
      (await activity.orderBy("id").execute()).map(({ action }) => action),
      ["asset.requested", "asset.uploaded", "asset.attached"],
    );
  });

  test("an uploading file is not_uploaded for attach and copy, resumes after a reload, and can be canceled or deleted (LIB-3)", async () => {
    const library = await createLibrary(fixture);
    const { deps, owner, files } = library;
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    const startedFile = await start(library);
    const assetId = startedFile.file.id;
    assert.equal(await getOutcome(() => attachAsset(deps, owner, { postId, assetId })), "not_uploaded");
    assert.equal(await getOutcome(() => copyAsset(deps, owner, { assetId })), "not_uploaded");
    await send(library, startedFile);
    assert.deepEqual(await start(library), { ...startedFile, parts: [1] });
    await cancelFile(deps, await resolveCaller(library), { fileId: assetId });
    const deletedFile = await start(library);
    await send(library, deletedFile);
    await deleteAsset(deps, owner, { assetId: deletedFile.file.id });
    assert.equal(await files.parts.countOpen(), 0);
    assert.equal(await deps.assets.getUsedBytes(owner.studio.id), 0);
    assert.equal(await getOutcome(() => complete(library, deletedFile)), "not_found");
  });

  test("the link lists its files, and shows and sets their alt text until they are attached to a post (LIB-3, T1)", async () => {
    const library = await createLibrary(fixture);
    const { deps, owner } = library;
    const fileId = await upload(library);
    const caller = await resolveCaller(library);
    assert.equal((await setAltText(deps, caller, { fileId, altText: "Our logo" })).altText, "Our logo");
    const { post, fileLimit, files } = await describeUploadPage(deps, caller);
    assert.equal(post, null);
    assert.equal(fileLimit, null, "the library has no limit");
    assert.deepEqual(
      files.map(({ id, filename, altText }) => [id, filename, altText]),
      [[fileId, "logo.jpg", "Our logo"]],
    );
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    await attachAsset(deps, owner, { postId, assetId: fileId });
    assert.equal(await getOutcome(() => setAltText(deps, caller, { fileId, altText: "Other" })), "not_found");
    assert.equal((await describeUploadPage(deps, caller)).files[0]?.altText, "");
  });

  test("the link ends with its 30 minutes and with its creator's membership, and its uploads, which use quota, are then swept (LIB-3)", async () => {
    const library = await createLibrary(fixture, { isByMember: true, limits: { studioBytes: image.length } });
    const { deps, owner, creator, files } = library;
    const startedFile = await start(library);
    await send(library, startedFile);
    assert.equal(await getOutcome(() => start(library, "other.jpg")), "quota_exceeded");
    fixture.clock.advance(minutes(31));
    assert.equal(await getOutcome(() => start(library, "late.jpg")), "upload_expired");
    await removeMember(deps, owner, { userId: creator.user.id });
    assert.equal(await getOutcome(() => resolveCaller(library)), "forbidden");
    await sweepUploads(deps, untilDone);
    assert.equal(await deps.assets.find(owner.studio.id, startedFile.file.id), undefined);
    assert.equal(await files.parts.countOpen(), 0);
  });
});
