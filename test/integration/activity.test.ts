import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { createGrant, revokeClient } from "#domain/access/clients.ts";
import { listActivity, listActivityInput, searchActivityInput } from "#domain/activity/list-activity.ts";
import type { ActivityAction } from "#domain/model/activity.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { importAssetFromUrl } from "#domain/assets/import-file.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment, deleteComment, resolveComment, setCommentVisibility } from "#domain/comments/comments.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { addOwner, disableUser, enableUser } from "#domain/operator/user-access.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { acceptInvitation, createInvitation, revokeInvitation } from "#domain/studios/invitations.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { createStudio, updateStudio } from "#domain/studios/studios.ts";
import { emptyTrash, restoreFromTrash } from "#domain/trash/trash.ts";
import { sweepTrash } from "#domain/steps/sweep-trash.ts";
import { createUploadLink, createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { withdrawUploadLink } from "#domain/uploads/upload-link.ts";
import {
  createWebhook,
  deleteWebhook,
  enableWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "#domain/webhooks/webhooks.ts";
import { AppError } from "#lib/errors.ts";
import { untilDone } from "../support/batch-options.ts";
import { readContentRows } from "../support/ending-access.ts";
import { forEachEngine } from "../support/engines.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { createInvitationToken, newMember, newUser, newStudio, newStudioWithRoles } from "../support/users.ts";

const operator = { operator: true } as const;

/** The actions that this file tests. Other files test client grants, connecting platforms, publications, reviews, and failing webhooks. */
type Change = Exclude<
  ActivityAction,
  | `client.${string}`
  | `publication.${string}`
  | `review.${string}`
  | "platform.connected"
  | "platform.needs_reconnect"
  | "webhook.disabled"
  | "platform.expires_soon"
>;

const webhook = { url: "https://example.com/hook", events: ["post.*"] };

/** Creates a studio with one object of each kind in each state that a change needs. */
async function createScene(deps: Deps) {
  const users = await newStudioWithRoles(deps);
  const { owner, member } = users;
  const newPost = async () => (await createPost(deps, member, { title: "A", body: "" })).id;
  const newComment = async (postId: string) => (await addComment(deps, member, { postId, body: "A" })).id;
  const [postId, trashedPostId] = [await newPost(), await newPost()];
  await updatePost(deps, member, { postId, title: "B" });
  await deletePost(deps, member, { postId: trashedPostId });
  const resolved = { commentId: await newComment(postId), resolved: true };
  await resolveComment(deps, member, resolved);
  const [assetId, attachedId, trashedAssetId] = [
    await newFile(deps, member),
    await newFile(deps, member),
    await newFile(deps, member),
  ];
  await attachAsset(deps, member, { postId, assetId: attachedId });
  await deleteAsset(deps, member, { assetId: trashedAssetId });
  const { assetId: emptyAssetId } = await requestAssetUpload(deps, member, { kind: "image", mimeType: "image/png" });
  await (deps.files as HookedFiles).put(`incoming/${emptyAssetId}`, Buffer.alloc(0));
  const disabledMember = await newMember(deps, owner, "member");
  await disableUser(deps, operator, { user: disabledMember.user.id });
  return {
    ...users,
    deps,
    newcomer: await newUser(deps),
    disabledMember,
    token: await createInvitationToken(deps, owner, "owner"),
    invitationId: (await createInvitation(deps, owner, { role: "member" })).id,
    postId,
    trashedPostId,
    commentId: await newComment(postId),
    resolvedCommentId: resolved.commentId,
    linkId: (await createUploadLink(deps, member, { postId, inPlace: false })).id,
    assetId,
    attachedId,
    trashedAssetId,
    emptyAssetId,
    connectionId: await newConnection(deps, owner),
    webhookId: (await createWebhook(deps, owner, webhook)).id,
  };
}
type Scene = Awaited<ReturnType<typeof createScene>>;

/** Makes each recorded change, in an order in which all are possible. An action without an entry does not compile. */
const changes: Record<Change, (scene: Scene) => Promise<unknown>> = {
  "studio.created": ({ deps, newcomer }) => createStudio(deps, newcomer, { name: "New", timezone: "UTC" }),
  "studio.updated": ({ deps, admin }) => updateStudio(deps, admin, { name: "Other", timezone: "Europe/Paris" }),
  "post.created": ({ deps, member }) => createPost(deps, member, { title: "A", body: "" }),
  "post.updated": ({ deps, member, postId }) => updatePost(deps, member, { postId, title: "C" }),
  "post.restored": ({ deps, member, trashedPostId }) => restoreFromTrash(deps, member, { id: trashedPostId }),
  "comment.added": ({ deps, member, postId }) => addComment(deps, member, { postId, body: "A" }),
  "comment.resolved": ({ deps, member, commentId }) => resolveComment(deps, member, { commentId, resolved: true }),
  "comment.reopened": ({ deps, member, resolvedCommentId: commentId }) =>
    resolveComment(deps, member, { commentId, resolved: false }),
  "comment.shown": ({ deps, member, commentId }) =>
    setCommentVisibility(deps, member, { commentId, visibility: "guests" }),
  "comment.hidden": ({ deps, member, commentId }) =>
    setCommentVisibility(deps, member, { commentId, visibility: "team" }),
  "comment.deleted": ({ deps, member, commentId }) => deleteComment(deps, member, { commentId }),
  "upload_link.created": ({ deps, member, postId }) => createUploadSession(deps, member, { postId }),
  "upload_link.withdrawn": ({ deps, member, postId, linkId }) => withdrawUploadLink(deps, member, { postId, linkId }),
  "asset.requested": ({ deps, member }) => requestAssetUpload(deps, member, { kind: "image", mimeType: "image/png" }),
  "asset.uploaded": ({ deps, member }) => newFile(deps, member),
  "asset.imported": ({ deps, member }) =>
    importAssetFromUrl({ ...deps, openUrl: openHello }, member, { url: "https://example.com/a.txt" }),
  "asset.copied": ({ deps, member, assetId }) => copyAsset(deps, member, { assetId }),
  "asset.updated": ({ deps, member, assetId }) => updateAsset(deps, member, { assetId, altText: "What it shows" }),
  "asset.attached": ({ deps, member, postId, assetId }) => attachAsset(deps, member, { postId, assetId }),
  "asset.refused": ({ deps, member, postId, emptyAssetId: assetId }) =>
    assert.rejects(attachAsset(deps, member, { postId, assetId }), (error: Error) => {
      if (!(error instanceof AppError)) throw error; // for example, the activity row could not be written
      return error.code === "invalid_input";
    }),
  "asset.restored": ({ deps, member, trashedAssetId }) => restoreFromTrash(deps, member, { id: trashedAssetId }),
  "asset.detached": ({ deps, member, postId, attachedId }) =>
    detachAsset(deps, member, { postId, assetId: attachedId }),
  "asset.deleted": ({ deps, member, attachedId }) => deleteAsset(deps, member, { assetId: attachedId }),
  "post.reverted": ({ deps, member, postId }) => restorePost(deps, member, { postId, revision: 1 }),
  "post.deleted": ({ deps, member, postId }) => deletePost(deps, member, { postId }),
  "trash.emptied": ({ deps, admin }) => emptyTrash(deps, admin),
  "platform.disconnected": ({ deps, admin, connectionId }) => disconnectPlatform(deps, admin, { connectionId }),
  "invitation.created": ({ deps, admin }) => createInvitation(deps, admin, { role: "member", email: "a@example.com" }),
  "invitation.revoked": ({ deps, admin, invitationId }) => revokeInvitation(deps, admin, { invitationId }),
  "member.joined": ({ deps, newcomer, token }) => acceptInvitation(deps, newcomer, { token }),
  "studio.handed_over": ({ deps, owner, member }) =>
    addOwner(deps, operator, { studioId: owner.studio.id, user: member.user.id }),
  "member.role_changed": ({ deps, owner, member }) =>
    changeRole(deps, owner, { userId: member.user.id, role: "member" }),
  "member.removed": ({ deps, owner, otherOwner }) => removeMember(deps, owner, { userId: otherOwner.user.id }),
  "member.left": ({ deps, member }) => removeMember(deps, member, { userId: member.user.id }),
  "member.disabled": ({ deps, admin }) => disableUser(deps, operator, { user: admin.user.id }),
  "webhook.created": ({ deps, owner }) => createWebhook(deps, owner, webhook),
  "webhook.updated": ({ deps, owner, webhookId }) => updateWebhook(deps, owner, { webhookId, events: ["asset.*"] }),
  "webhook.rotated": ({ deps, owner, webhookId }) => rotateWebhookSecret(deps, owner, { webhookId }),
  "webhook.enabled": ({ deps, owner, webhookId }) => enableWebhook(deps, owner, { webhookId }),
  "webhook.deleted": ({ deps, owner, webhookId }) => deleteWebhook(deps, owner, { webhookId }),
  "member.enabled": ({ deps, disabledMember }) => enableUser(deps, operator, { user: disabledMember.user.id }),
};

async function newFile(deps: Deps, caller: Caller): Promise<string> {
  const base64 = Buffer.from("hello").toString("base64");
  return (await uploadAssetInline(deps, caller, { kind: "document", mimeType: "text/plain", base64 })).assetId;
}

const openHello: Deps["openUrl"] = async (url) => ({
  url: new URL(url),
  status: 200,
  headers: { "content-type": "text/plain" },
  body: Readable.from([Buffer.from("hello")]),
});

forEachEngine("activity", (fixture) => {
  const { deps, clock, database } = fixture;
  const dumpTables = async () => ({
    ...(await readContentRows(fixture)),
    memberships: await database.q.selectFrom("memberships").selectAll().orderBy("studioId").orderBy("userId").execute(),
  });

  test("each change records one activity row, and is rolled back if the row cannot be written (ACT-1, ACT-2, L5)", async () => {
    const scene = await createScene(deps);
    // The id of the activity row is already in use, so the last statement of the change fails.
    const usedId = (await listRows()).at(-1)?.id ?? "";
    const newId: Deps["newId"] = (kind) => (kind === "activity" ? usedId : deps.newId(kind));
    const failingScene = { ...scene, deps: { ...deps, newId } };
    for (const [action, change] of Object.entries(changes)) {
      const rowsBefore = await listRows();
      const tablesBefore = await dumpTables();
      await assert.rejects(change(failingScene), action);
      assert.deepEqual(await dumpTables(), tablesBefore, action);

      clock.advance(1);
      await change(scene);
      const [row, ...others] = (await listRows()).slice(rowsBefore.length);
      assert.deepEqual([row?.action, others], [action, []]);
      assert.ok(row?.studioId && row.subjectId);
      assert.ok(row.userId ?? (JSON.parse(row.detail) as { by?: string }).by === "operator");
      assert.equal(row.at, clock());
      if (action !== "studio.created") assert.equal(row.studioId, scene.owner.studio.id);
    }
  });

  test("lists activity newest first, in pages, with the names of user and client (ACT-1)", async () => {
    const owner = await newStudio(deps);
    const viaClient: Caller = { ...owner, client: { id: "client-1", name: "Claude" } };
    const post = await createPost(deps, viaClient, { title: "A", body: "" });
    await updatePost(deps, owner, { postId: post.id, status: "ready" });
    await createPost(deps, await newStudio(deps), { title: "Elsewhere", body: "" });
    const firstPage = await listActivity(deps, owner, listActivityInput.parse({ limit: 2 }));
    const at = new Date(clock()).toISOString();
    const user = { id: owner.user.id, name: owner.user.name };
    assert.deepEqual(
      firstPage.activity.map(({ id: _, ...rest }) => rest),
      [
        {
          action: "post.updated",
          at,
          user,
          client: null,
          subjectId: post.id,
          subjectName: "A",
          objects: [{ type: "post", id: post.id, name: "A", state: "current" }],
          detail: { fields: ["status"], revision: 2, status: "ready" },
        },
        {
          action: "post.created",
          at,
          user,
          client: { id: "client-1", name: "Claude" },
          subjectId: post.id,
          subjectName: "A",
          objects: [{ type: "post", id: post.id, name: "A", state: "current" }],
          detail: { title: "A", revision: 1 },
        },
      ],
    );
    const secondPage = await listActivity(
      deps,
      owner,
      listActivityInput.parse({ limit: 2, cursor: firstPage.nextCursor }),
    );
    assert.deepEqual(
      secondPage.activity.map(({ action }) => action),
      ["studio.created"],
    );
    assert.equal(secondPage.nextCursor, null);
  });

  test("names posts, files, members, clients and accounts, even after they were deleted (ACT-1)", async () => {
    const { owner, member } = await newStudioWithRoles(deps);
    const { id: postId } = await createPost(deps, owner, { title: "Spring", body: "" });
    const [keptId, deletedId] = [await newFile(deps, owner), await newFile(deps, owner)];
    await updateAsset(deps, owner, { assetId: keptId, filename: "harbour.txt" });
    await attachAsset(deps, owner, { postId, assetId: keptId });
    await updatePost(deps, owner, { postId, title: "Spring catalogue" });
    await deleteAsset(deps, owner, { assetId: deletedId });
    await changeRole(deps, owner, { userId: member.user.id, role: "admin" });
    const connectionId = await newConnection(deps, owner);
    await disconnectPlatform(deps, owner, { connectionId });
    const grant = await createGrant(deps, owner, {
      clientId: "client-1",
      clientName: "Claude",
      clientVerified: true,
      redirectHost: "claude.ai",
      scopes: ["studio:read"],
    });
    await revokeClient(deps, owner, { grantId: grant.id });

    const list = async () => {
      const { activity } = await listActivity(deps, owner, listActivityInput.parse({ limit: 100 }));
      return new Map(activity.map(({ action, objects }) => [action, objects]));
    };
    const post = { type: "post", id: postId, name: "Spring catalogue", state: "current" };
    const before = await list();
    assert.deepEqual(before.get("asset.attached"), [
      { type: "asset", id: keptId, name: "harbour.txt", state: "current" },
      post,
    ]);
    assert.deepEqual(before.get("post.created"), [post], "its current title");
    assert.equal(before.get("asset.deleted")?.[0]?.state, "trashed");
    assert.deepEqual(before.get("member.role_changed"), [
      { type: "member", id: member.user.id, name: member.user.name, state: "current" },
    ]);
    assert.equal(before.get("platform.disconnected")?.[0]?.type, "account");
    assert.ok(before.get("platform.disconnected")?.[0]?.name);
    assert.deepEqual(before.get("client.revoked"), [
      { type: "client", id: grant.id, name: grant.clientName, state: "gone" },
    ]);

    await removeMember(deps, owner, { userId: member.user.id });
    await deletePost(deps, owner, { postId });
    assert.equal((await list()).get("post.created")?.[0]?.state, "trashed");
    await emptyTrash(deps, owner);
    await sweepTrash(deps, untilDone);
    const after = await list();
    assert.deepEqual(after.get("post.created"), [{ ...post, name: "Spring", state: "gone" }], "its title at the time");
    assert.deepEqual(after.get("asset.attached"), [
      { type: "asset", id: keptId, name: "harbour.txt", state: "gone" },
      { ...post, name: null, state: "gone" },
    ]);
    assert.equal(after.get("asset.deleted")?.[0]?.state, "gone");
    assert.deepEqual(after.get("member.role_changed")?.[0]?.state, "gone");
  });

  test("looks up all names on a page with one query (ACT-1)", async () => {
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
    for (let i = 0; i < 5; i++) await attachAsset(deps, owner, { postId, assetId: await newFile(deps, owner) });
    const calls: number[] = [];
    const activity: Deps["activity"] = {
      ...deps.activity,
      async findNames(studioId, objects) {
        calls.push(objects.length);
        return deps.activity.findNames(studioId, objects);
      },
    };
    const page = await listActivity({ activity }, owner, listActivityInput.parse({ limit: 100 }));
    assert.equal(page.activity.filter(({ action }) => action === "asset.attached").length, 5);
    assert.equal(calls.length, 1);
  });

  test("does not name objects of another studio", async () => {
    const [owner, stranger] = [await newStudio(deps), await newStudio(deps)];
    const { id: postId } = await createPost(deps, stranger, { title: "Secret", body: "" });
    const assetId = await newFile(deps, stranger);
    const connectionId = await newConnection(deps, stranger);
    assert.deepEqual(
      await deps.activity.findNames(owner.studio.id, [
        { type: "post", id: postId },
        { type: "asset", id: assetId },
        { type: "account", id: connectionId },
      ]),
      [],
    );
  });

  test("filters activity by user, client, action and combinations of them; a cursor is valid only for its list (ACT-1, T8)", async () => {
    const owner = await newStudio(deps);
    const viaClient: Caller = { ...owner, client: { id: "client-1", name: "Claude" } };
    const member = await newMember(deps, owner, "member");
    const post = await createPost(deps, viaClient, { title: "A", body: "" });
    await updatePost(deps, member, { postId: post.id, title: "B" });
    await updatePost(deps, viaClient, { postId: post.id, status: "ready" });
    const search = async (filter: object) =>
      (await listActivity(deps, owner, searchActivityInput.parse(filter))).activity.map((row) => [
        row.action,
        row.subjectName,
      ]);
    assert.deepEqual(await search({ userId: member.user.id }), [
      ["post.updated", "B"],
      ["member.joined", member.user.name],
    ]);
    assert.deepEqual(await search({ clientId: "client-1" }), [
      ["post.updated", "B"],
      ["post.created", "B"],
    ]);
    assert.deepEqual(await search({ clientId: "client-1", action: "post.created" }), [["post.created", "B"]]);
    assert.equal((await search({ action: "post.updated" })).length, 2);
    assert.deepEqual(await search({ userId: owner.user.id, clientId: "client-2" }), []);
    const { nextCursor } = await listActivity(deps, owner, { action: "post.updated", limit: 1 });
    const nextPage = { limit: 1, cursor: nextCursor ?? "" };
    assert.equal((await listActivity(deps, owner, { action: "post.updated", ...nextPage })).activity.length, 1);
    const otherOwner = await newStudio(deps);
    const withoutFilter = () => listActivity(deps, owner, nextPage);
    const ofOtherStudio = () => listActivity(deps, otherOwner, { action: "post.updated", ...nextPage });
    for (const list of [withoutFilter, ofOtherStudio]) assert.equal(await getOutcome(list), "invalid_input");
  });

  async function listRows() {
    return database.q.selectFrom("activity").selectAll().orderBy("id").execute();
  }
});
