import assert from "node:assert/strict";
import { test } from "node:test";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { cancelPublication, sendBackPublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { completeAppFile, createAppUpload, startAppFile, storeAppPart } from "#domain/uploads/app-uploads.ts";
import { hours, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, actThroughDrafter } from "../support/history-fixture.ts";
import { getOutcome } from "../support/outcome.ts";
import { startPublishing } from "../support/publishing-fixture.ts";
import { png } from "../support/samples.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forEachEngine("publishing", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour", "lighthouse"], { clock: fixture.clock }));

  const requestThroughApi = (postId: string, request?: object) =>
    publishing.requestPublication(postId, publishing.connectionIds.slice(0, 1), request);
  const inOneHour = () => toIsoTime(fixture.clock() + hours(1));
  const countPosts = async (text: string) =>
    (await publishing.listSandboxPosts()).filter((post) => post.text === text).length;

  test("publishes text, media and alt text once, and links to the public post (PUB-1)", async () => {
    const { owner, service } = publishing;
    const postId = await publishing.newPost("With an image");
    const base64 = (await png()).toString("base64");
    const { assetId, bytes } = await uploadAssetInline(service.deps, owner, {
      kind: "image",
      mimeType: "image/png",
      base64,
      filename: "vase.png",
    });
    await updateAsset(service.deps, owner, { assetId, altText: "A blue vase" });
    await attachAsset(service.deps, owner, { postId, assetId });
    const { id, state, requestedBy, requestedThrough } = await requestThroughApi(postId);
    assert.deepEqual([state, requestedBy?.id, requestedThrough], ["scheduled", owner.user.id, null]);
    const published = await publishing.waitForState(id, "published");
    const post = (await publishing.listSandboxPosts()).find(({ text }) => text === "With an image");
    assert.deepEqual(
      [post?.account, post?.media, published.url],
      [
        "harbour",
        [{ mimeType: "image/png", bytes, altText: "A blue vase" }],
        `${service.base}/sandbox/posts/${post?.id}`,
      ],
    );
    assert.ok(published.publishedAt);
    const { publications } = await getPost(service.deps, owner, { postId });
    assert.deepEqual(
      publications?.map((publication) => publication.state),
      ["published"],
    );
  });

  test("an AI client without studio:publish proposes, and a person approves what they saw (PUB-3)", async () => {
    const { owner, service, connectionIds } = publishing;
    const client = await actThroughDrafter(service.deps, owner);
    const postId = await publishing.newPost("Proposed");
    const { publications } = await publishPost(service.deps, client, { postId, connectionIds });
    assert.deepEqual(
      publications.map(({ state, requestedThrough }) => [state, requestedThrough]),
      [
        ["proposed", "Claude"],
        ["proposed", "Claude"],
      ],
    );
    const [first] = publications;
    assert.ok(first);
    const approve = { publicationId: first.id, revision: 1 };
    assert.equal(await getOutcome(() => approvePublication(service.deps, client, approve)), "forbidden");
    await updatePost(service.deps, client, { postId, body: "Proposed, edited", revision: 1 });
    const stale = await publishing.api("POST", `/publications/${first.id}/approve`, { revision: 1 });
    assert.deepEqual([stale.status, stale.body["code"]], [409, "revision_conflict"]);
    const approved = await publishing.api("POST", `/publications/${first.id}/approve`, { revision: 2 });
    assert.equal(approved.status, 200);
    const published = await publishing.waitForState(first.id, "published");
    assert.deepEqual([published.approvedBy?.id, published.revision], [owner.user.id, 2]);
    assert.equal(await countPosts("Proposed, edited"), 1);
    const again = await publishing.api("POST", `/publications/${first.id}/approve`, { revision: 2 });
    assert.equal(again.body["code"], "too_late");
  });

  test("only a person sends a proposal back, and its client sees that changes were asked for (PUB-3)", async () => {
    const { owner, service, connectionIds } = publishing;
    const client = await actThroughClient(service.deps, owner);
    const postId = await publishing.newPost("Sent back");
    await updatePost(service.deps, owner, { postId, body: "Autosaved" });
    const { publications } = await publishPost(service.deps, client, { postId, connectionIds, propose: true });
    const publicationId = publications[0]?.id ?? "";
    assert.equal(await getOutcome(() => sendBackPublication(service.deps, client, { publicationId })), "forbidden");
    const sentBack = await publishing.api("POST", `/publications/${publicationId}/send-back`);
    assert.deepEqual([sentBack.status, sentBack.body["state"]], [200, "canceled"]);
    const post = await getPost(service.deps, client, { postId });
    const problems = post.publications?.map(({ id, problem }) => [id === publicationId, problem?.code]);
    assert.deepEqual(problems?.toSorted(), [
      [false, undefined],
      [true, "sent_back"],
    ]);
    // The next proposal is compared with it, so an autosave does not replace it.
    for (const body of ["Changed", "Changed again"]) await updatePost(service.deps, owner, { postId, body });
    const { revisions } = await getPostHistory(service.deps, owner, { postId, limit: 10 });
    assert.deepEqual(
      revisions.map(({ revision }) => revision),
      [4, 2, 1],
    );
    const scheduled = await requestThroughApi(await publishing.newPost("Scheduled"), { at: inOneHour() });
    const late = await publishing.api("POST", `/publications/${scheduled.id}/send-back`);
    assert.equal(late.body["code"], "too_late");
  });

  test("an edit by a user who may not publish voids the approval; an edit by a user who may moves the approval to the new content (PUB-4)", async () => {
    const { owner, service } = publishing;
    const client = await actThroughDrafter(service.deps, owner);
    const postId = await publishing.newPost("Approved");
    const { id } = await requestThroughApi(postId, { at: inOneHour() });
    const read = async () => (await publishing.api("GET", `/publications/${id}`)).body;
    await updatePost(service.deps, owner, { postId, body: "Approved, edited by the owner" });
    assert.deepEqual([(await read())["state"], (await read())["revision"]], ["scheduled", 2]);
    await updatePost(service.deps, client, { postId, title: "Another title", revision: 2 });
    assert.deepEqual(
      [(await read())["state"], (await read())["revision"]],
      ["scheduled", 3],
      "the sandbox has no title",
    );
    await updatePost(service.deps, client, { postId, body: "Changed by the client", revision: 3 });
    assert.deepEqual([(await read())["state"], (await read())["approvedBy"]], ["proposed", null]);
    const canceled = await publishing.api("POST", `/publications/${id}/cancel`);
    assert.equal(canceled.body["state"], "canceled");
  });

  test("an upload by the in-chat app voids the approval, although its client may publish (PUB-4, CHAT-15)", async () => {
    const { owner, service } = publishing;
    const { deps } = service;
    const client = await actThroughClient(deps, owner);
    const postId = await publishing.newPost("Approved, then a file is added");
    const { id } = await requestThroughApi(postId, { at: inOneHour() });
    const content = await png();
    const { uploadId } = await createAppUpload(deps, client, { postId });
    const { file } = await startAppFile(deps, client, {
      uploadId,
      name: "vase.png",
      size: content.length,
      lastModified: 1,
      type: "image/png",
    });
    const target = { uploadId, fileId: file.id };
    await storeAppPart(deps, client, { ...target, part: 1, base64: content.toString("base64") });
    await completeAppFile(deps, client, target);
    const { body } = await publishing.api("GET", `/publications/${id}`);
    assert.deepEqual([body["state"], body["approvedBy"]], ["proposed", null]);
  });

  test("publishing in the web app is rejected if the post is no longer at the revision that the person saw (PUB-3, B1)", async () => {
    const { owner, service, api } = publishing;
    const client = { ...(await actThroughClient(service.deps, owner)), scopes: ["studio:write"] as const };
    const postId = await publishing.newPost("Seen");
    const { id, revision } = await requestThroughApi(postId, { at: inOneHour(), revision: 1 });
    await cancelPublication(service.deps, client, { publicationId: id });
    await updatePost(service.deps, client, { postId, revision, body: "Unseen" });
    const body = { connectionIds: publishing.connectionIds, revision };
    for (const request of [body, { ...body, propose: true }, { ...body, at: inOneHour() }]) {
      const response = await api("POST", `/posts/${postId}/publications`, request);
      assert.deepEqual([response.status, response.body["code"]], [409, "revision_conflict"]);
    }
    for (const invalidRevision of [0, 1.5, "2", null]) {
      const response = await api("POST", `/posts/${postId}/publications`, { ...body, revision: invalidRevision });
      assert.deepEqual([response.status, response.body["code"]], [400, "invalid_input"]);
    }
    const { publications } = await getPost(service.deps, owner, { postId });
    assert.deepEqual(
      publications?.map(({ state }) => state),
      ["canceled"],
    );
    assert.equal((await requestThroughApi(postId, { at: inOneHour(), revision: 2 })).revision, 2);
    assert.equal(
      (await requestThroughApi(await publishing.newPost("Any revision"), { at: inOneHour() })).state,
      "scheduled",
    );
  });

  test("one open publication per post and account; an archived, empty or rejected post is not publishable (PUB-5)", async () => {
    const { owner, service, connectionIds } = publishing;
    const postId = await publishing.newPost("Once");
    const { id } = await requestThroughApi(postId, { at: inOneHour() });
    const request = (target: string, body: Record<string, unknown> = {}) =>
      publishing.api("POST", `/posts/${target}/publications`, { connectionIds: connectionIds.slice(0, 1), ...body });
    assert.equal((await request(postId)).body["code"], "already_scheduled");
    assert.equal(
      await getOutcome(() => updatePost(service.deps, owner, { postId, status: "archived" })),
      "post_in_use",
    );
    assert.equal(await getOutcome(() => deletePost(service.deps, owner, { postId })), "post_in_use");
    await publishing.api("POST", `/publications/${id}/cancel`);
    await updatePost(service.deps, owner, { postId, status: "archived" });
    assert.equal((await request(postId)).body["code"], "not_publishable");
    assert.equal((await request(await publishing.newPost(" "))).body["code"], "not_publishable");
    const tooLong = await request(await publishing.newPost("x".repeat(281)));
    assert.equal(tooLong.body["code"], "not_publishable");
    const [problem] = tooLong.body["problems"] as { connectionId: string; problems: { code: string }[] }[];
    assert.deepEqual([problem?.connectionId, problem?.problems[0]?.code], [connectionIds[0], "text_too_long"]);
    const withoutOffset = inOneHour().slice(0, -1);
    assert.equal(
      (await request(await publishing.newPost("Time"), { at: withoutOffset })).body["code"],
      "invalid_input",
    );
  });

  test("if an edit after the request makes a platform reject the post, the publication fails at its time and nothing is published (PUB-5)", async () => {
    const { owner, service } = publishing;
    const postId = await publishing.newPost("Short enough");
    const { id } = await requestThroughApi(postId, { at: inOneHour() });
    const tooLong = "y".repeat(281);
    await updatePost(service.deps, owner, { postId, body: tooLong });
    await publishing.api("POST", `/publications/${id}/reschedule`, { at: toIsoTime(fixture.clock()) });
    const { problem } = await publishing.waitForState(id, "failed");
    assert.equal(problem?.code, "not_publishable");
    assert.match(problem.message, /280/);
    assert.equal(await countPosts(tooLong), 0);
  });

  test("each account receives its own variant (PUB-6)", async () => {
    const { owner, service, connectionIds } = publishing;
    const [, lighthouse = ""] = connectionIds;
    const postId = await publishing.newPost("For everyone");
    await updatePost(service.deps, owner, {
      postId,
      variants: [{ connectionId: lighthouse, body: "For the lighthouse" }],
    });
    const response = await publishing.api("POST", `/posts/${postId}/publications`, { connectionIds });
    for (const { id } of response.body["publications"] as PublicationView[])
      await publishing.waitForState(id, "published");
    const posts = await publishing.listSandboxPosts();
    const textOf = (account: string) => posts.findLast((post) => post.account === account)?.text;
    assert.deepEqual([textOf("harbour"), textOf("lighthouse")], ["For everyone", "For the lighthouse"]);
  });
});
