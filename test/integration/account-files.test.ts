import assert from "node:assert/strict";
import { before, test } from "node:test";
import sharp from "sharp";
import { createPlatformSetups } from "#connectors/catalog.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost, updatePostInput } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { getRendition } from "#domain/renditions/get-rendition.ts";
import { hours } from "#lib/clock.ts";
import { fromNow } from "../support/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection, noIdentities } from "../support/platform-fixture.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { png } from "../support/samples.ts";
import { newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const sandboxMaxImages = 4;

/** Two frames of different sizes. */
const createAnimatedGif = async (): Promise<Buffer> =>
  sharp([await png(64, 48), await png(48, 64)], { join: { animated: true } })
    .gif()
    .toBuffer();

forEachEngine("files per account", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "lighthouse"]));
  let harbour: string;
  let lighthouse: string;
  before(async () => {
    [harbour = "", lighthouse = ""] = publishing.connectionIds;
  });

  const deps = () => publishing.service.deps;
  function withAllPlatforms(): Deps {
    const setups = createPlatformSetups({}, () => Promise.reject(new Error("no network access")), noIdentities);
    return { ...deps(), platforms: createPlatforms(deps().baseUrl, setups) };
  }

  /** The files have the alt texts 1, 2, 3 and so on. */
  async function newPostWithFiles(count: number, owner: Caller = publishing.owner) {
    const { id: postId } = await createPost(deps(), owner, { title: "Title", body: `Post with ${count} files` });
    const base64 = (await png()).toString("base64");
    const assetIds: string[] = [];
    for (let i = 1; i <= count; i++) {
      const { assetId } = await uploadAssetInline(deps(), owner, { kind: "image", mimeType: "image/png", base64 });
      await updateAsset(deps(), owner, { assetId, altText: String(i) });
      await attachAsset(deps(), owner, { postId, assetId });
      assetIds.push(assetId);
    }
    return { postId, assetIds };
  }
  const chooseFiles = (postId: string, connectionId: string, assetIds: readonly string[], caller?: Caller) =>
    updatePost(deps(), caller ?? publishing.owner, { postId, variants: [{ connectionId, assetIds: [...assetIds] }] });
  const publish = (postId: string, connectionId: string) =>
    publishPost(deps(), publishing.owner, { postId, connectionIds: [connectionId] });
  /** Publishes the post; returns what the platform received. */
  async function publishAndRead(postId: string) {
    const [publication] = (await publish(postId, harbour)).publications;
    await publishing.waitForState(publication?.id ?? "", "published");
    const sentPost = (await publishing.listSandboxPosts()).findLast(({ account }) => account === "harbour");
    assert.ok(sentPost);
    return sentPost;
  }
  const listProblems = async (postId: string, connectionId: string) =>
    (await getPost(deps(), publishing.owner, { postId })).validation
      ?.find((each) => each.connectionId === connectionId)
      ?.problems.flatMap(({ code, max }) => (max === undefined ? [] : [[code, max]]));

  test("each account receives only its chosen files, in the order of the post (PUB-6)", async () => {
    const { postId, assetIds } = await newPostWithFiles(sandboxMaxImages + 1);
    assert.deepEqual(await listProblems(postId, harbour), [["too_many_pictures", sandboxMaxImages]]);
    assert.equal(await getOutcome(() => publish(postId, harbour)), "not_publishable");

    const view = await chooseFiles(postId, harbour, [assetIds[3] ?? "", assetIds[1] ?? ""]);
    assert.deepEqual(view.variants, [{ connectionId: harbour, assetIds: [assetIds[1], assetIds[3]] }]);
    assert.deepEqual(await listProblems(postId, harbour), []);
    assert.deepEqual(await listProblems(postId, lighthouse), [["too_many_pictures", sandboxMaxImages]]);
    const sent = await publishAndRead(postId);
    assert.equal(sent.text, `Post with ${sandboxMaxImages + 1} files`);
    assert.deepEqual(
      sent.media.map(({ altText }) => altText),
      ["2", "4"],
    );
    assert.equal(await getOutcome(() => publish(postId, lighthouse)), "not_publishable");
  });

  test("an account may get no file, if it has a text (PUB-6)", async () => {
    const { postId } = await newPostWithFiles(1);
    await chooseFiles(postId, harbour, []);
    const [validation] = (await getPost(deps(), publishing.owner, { postId })).validation ?? [];
    assert.deepEqual(
      validation?.problems.map(({ level, code }) => [level, code]),
      [["warning", "no_files_chosen"]],
    );
    const sent = await publishAndRead(postId);
    assert.deepEqual([sent.text, sent.media], ["Post with 1 files", []]);

    await updatePost(deps(), publishing.owner, { postId, body: "" });
    assert.equal(await getOutcome(() => publish(postId, harbour)), "not_publishable");
  });

  test("where a file is required, says to choose one (PUB-6)", async () => {
    const allDeps = withAllPlatforms();
    const connectionId = await newConnection(allDeps, publishing.owner, "south", "instagram");
    const { postId } = await newPostWithFiles(1);
    await chooseFiles(postId, connectionId, []);
    const { validation } = await getPost(allDeps, publishing.owner, { postId });
    const problems = validation?.find((each) => each.connectionId === connectionId)?.problems ?? [];
    assert.deepEqual(
      problems.map(({ level, code, message }) => ({ level, code, message })),
      [{ level: "rejected", code: "files_missing", message: "Choose at least 1 file for this account." }],
    );
  });

  test("a choice by a client needs a new approval; new files of the post do not (PUB-3)", async () => {
    const client = await actThroughDrafter(deps(), publishing.owner);
    const { postId, assetIds } = await newPostWithFiles(2);
    const { revision } = await chooseFiles(postId, harbour, assetIds.slice(0, 1));
    const { publications } = await publishPost(deps(), publishing.owner, {
      postId,
      connectionIds: [harbour],
      at: fromNow(hours(1)),
    });
    const readState = async () =>
      (await getPost(deps(), publishing.owner, { postId })).publications?.find(({ id }) => id === publications[0]?.id)
        ?.state;
    const base64 = (await png()).toString("base64");
    const { assetId } = await uploadAssetInline(deps(), client, { kind: "image", mimeType: "image/png", base64 });
    await attachAsset(deps(), client, { postId, assetId });
    assert.equal(await readState(), "scheduled", "the account does not get the new file");
    const variants = [{ connectionId: harbour, assetIds }];
    await updatePost(deps(), client, { postId, variants, revision: revision + 1 });
    assert.equal(await readState(), "proposed");
  });

  test("an image is converted as the only file of an account, if it is (PUB-6)", async () => {
    const { owner } = publishing;
    const allDeps = withAllPlatforms();
    const connectionId = await newConnection(allDeps, owner, "north", "x");
    const { postId, assetIds } = await newPostWithFiles(1);
    const base64 = (await createAnimatedGif()).toString("base64");
    const { assetId } = await uploadAssetInline(deps(), owner, { kind: "image", mimeType: "image/gif", base64 });
    await attachAsset(deps(), owner, { postId, assetId });
    const readType = async () => (await getRendition(allDeps, owner, { postId, assetId, connectionId })).mimeType;
    assert.notEqual(await readType(), "image/gif", "beside an image, X shows only one frame");
    await chooseFiles(postId, connectionId, [assetId]);
    assert.equal(await readType(), "image/gif");
    await chooseFiles(postId, connectionId, [assetId, ...assetIds]);
    assert.notEqual(await readType(), "image/gif");
  });

  test("a removed file is no longer chosen, and comes back with its revision (HIST-1)", async () => {
    const { postId, assetIds } = await newPostWithFiles(3);
    const { revision } = await chooseFiles(postId, harbour, assetIds.slice(0, 2));
    await detachAsset(deps(), publishing.owner, { postId, assetId: assetIds[0] ?? "" });
    const readVariants = async () => (await getPost(deps(), publishing.owner, { postId })).variants;
    assert.deepEqual(await readVariants(), [{ connectionId: harbour, assetIds: [assetIds[1]] }]);
    await updatePost(deps(), publishing.owner, { postId, variants: [{ connectionId: harbour, body: "Own text" }] });
    assert.deepEqual(await readVariants(), [{ connectionId: harbour, body: "Own text" }]);
    await restorePost(deps(), publishing.owner, { postId, revision });
    assert.deepEqual(await readVariants(), [{ connectionId: harbour, assetIds: assetIds.slice(0, 2) }]);
  });

  test("rejects files of other posts and studios, repeated ones, and empty variants (T1)", async () => {
    const { postId, assetIds } = await newPostWithFiles(2);
    const { assetIds: otherIds } = await newPostWithFiles(1);
    const { assetIds: foreignIds } = await newPostWithFiles(1, await newStudio(deps()));
    const [assetId = ""] = assetIds;
    for (const wrongIds of [otherIds, foreignIds, [assetId, ...foreignIds], [assetId, assetId], ["x"]])
      assert.equal(await getOutcome(() => chooseFiles(postId, harbour, wrongIds)), "invalid_input", String(wrongIds));
    assert.deepEqual((await getPost(deps(), publishing.owner, { postId })).variants, []);
    const input = { postId, variants: [{ connectionId: harbour }] };
    assert.equal(updatePostInput.safeParse(input).success, false);
  });
});
