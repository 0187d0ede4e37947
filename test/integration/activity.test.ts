import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { createGrant } from "#domain/access/create-grant.ts";
import { revokeClient } from "#domain/access/revoke-client.ts";
import { listActivity, listActivityInput, searchActivityInput } from "#domain/activity/list-activity.ts";
import type { ActivityAction } from "#domain/activity/record.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { detachAsset } from "#domain/assets/detach-asset.ts";
import { importAssetFromUrl } from "#domain/assets/import-asset-from-url.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/add-comment.ts";
import { deleteComment } from "#domain/comments/delete-comment.ts";
import { resolveComment } from "#domain/comments/resolve-comment.ts";
import type { Deps } from "#domain/deps.ts";
import { disableUser, enableUser } from "#domain/operator/user-access.ts";
import { addOwner } from "#domain/operator/add-owner.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { changeRole, removeMember } from "#domain/studios/members.ts";
import { createInvitation } from "#domain/studios/create-invitation.ts";
import { createStudio } from "#domain/studios/create-studio.ts";
import { revokeInvitation } from "#domain/studios/invitation.ts";
import { emptyTrash } from "#domain/trash/empty-trash.ts";
import { sweepTrash } from "#domain/trash/sweep-trash.ts";
import { restoreFromTrash } from "#domain/trash/restore-from-trash.ts";
import { createUploadLink, createUploadSession } from "#domain/uploads/create-upload-link.ts";
import { withdrawUploadLink } from "#domain/uploads/withdraw-upload-link.ts";
import { updateStudio } from "#domain/studios/update-studio.ts";
import { AppError } from "#lib/errors.ts";
import { untilDone } from "../support/batch-options.ts";
import { forEachEngine } from "../support/engines.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { createInvitationToken, newMember, newUser, newStudio, newStudioWithRoles } from "../support/users.ts";

const operator = { operator: true } as const;

type StudioUsers = Awaited<ReturnType<typeof newStudioWithRoles>>;

/** The actions that this file tests. Other files test client grants, connecting platforms, and publications. */
type Change = Exclude<
  ActivityAction,
  `client.${string}` | `publication.${string}` | "platform.connected" | "platform.needs_reconnect"
>;

/** Prepares each recorded change and returns a function that makes it. An action without an entry does not compile. */
const changes: Record<Change, (deps: Deps, users: StudioUsers) => Promise<() => Promise<unknown>>> = {
  "studio.created": async (deps) => {
    const signedInUser = await newUser(deps);
    return () => createStudio(deps, signedInUser, { name: "New", timezone: "UTC" });
  },
  "studio.updated":
    async (deps, { admin }) =>
    () =>
      updateStudio(deps, admin, { name: "Other", timezone: "Europe/Paris" }),
  "member.joined": async (deps, { owner }) => {
    const [signedInUser, token] = [await newUser(deps), await createInvitationToken(deps, owner, "owner")];
    return () => acceptInvitation(deps, signedInUser, { token });
  },
  "member.role_changed":
    async (deps, { owner, member }) =>
    () =>
      changeRole(deps, owner, { userId: member.user.id, role: "owner" }),
  "member.removed":
    async (deps, { owner, otherOwner }) =>
    () =>
      removeMember(deps, owner, { userId: otherOwner.user.id }),
  "studio.handed_over":
    async (deps, { owner, member }) =>
    () =>
      addOwner(deps, operator, { studioId: owner.studio.id, user: member.user.id }),
  "member.disabled":
    async (deps, { member }) =>
    () =>
      disableUser(deps, operator, { user: member.user.id }),
  "member.enabled": async (deps, { member }) => {
    await disableUser(deps, operator, { user: member.user.id });
    return () => enableUser(deps, operator, { user: member.user.id });
  },
  "member.left":
    async (deps, { otherOwner }) =>
    () =>
      removeMember(deps, otherOwner, { userId: otherOwner.user.id }),
  "invitation.created":
    async (deps, { admin }) =>
    () =>
      createInvitation(deps, admin, { role: "member", email: "a@example.com" }),
  "invitation.revoked": async (deps, { owner, admin }) => {
    const { id } = await createInvitation(deps, owner, { role: "member" });
    return () => revokeInvitation(deps, admin, { invitationId: id });
  },
  "post.created":
    async (deps, { member }) =>
    () =>
      createPost(deps, member, { title: "A", body: "" }),
  "post.updated": async (deps, { member }) => {
    const { id } = await createPost(deps, member, { title: "A", body: "" });
    return () => updatePost(deps, member, { postId: id, title: "B" });
  },
  "post.reverted": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    await updatePost(deps, member, { postId, title: "B" });
    return () => restorePost(deps, member, { postId, revision: 1 });
  },
  "post.deleted": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    return () => deletePost(deps, member, { postId });
  },
  "comment.added": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    return () => addComment(deps, member, { postId, body: "A" });
  },
  "comment.resolved": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    const { id: commentId } = await addComment(deps, member, { postId, body: "A" });
    return () => resolveComment(deps, member, { commentId, resolved: true });
  },
  "comment.reopened": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    const { id: commentId } = await addComment(deps, member, { postId, body: "A" });
    await resolveComment(deps, member, { commentId, resolved: true });
    return () => resolveComment(deps, member, { commentId, resolved: false });
  },
  "comment.deleted": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    const { id: commentId } = await addComment(deps, member, { postId, body: "A" });
    return () => deleteComment(deps, member, { commentId });
  },
  "post.restored": async (deps, { member }) => {
    const { id } = await createPost(deps, member, { title: "A", body: "" });
    await deletePost(deps, member, { postId: id });
    return () => restoreFromTrash(deps, member, { id });
  },
  "upload_link.created": async (deps, { member }) => {
    const { id } = await createPost(deps, member, { title: "A", body: "" });
    return () => createUploadSession(deps, member, { postId: id });
  },
  "upload_link.withdrawn": async (deps, { member }) => {
    const { id: postId } = await createPost(deps, member, { title: "A", body: "" });
    const { id: linkId } = await createUploadLink(deps, member, { postId, inPlace: false });
    return () => withdrawUploadLink(deps, member, { postId, linkId });
  },
  "asset.requested":
    async (deps, { member }) =>
    () =>
      requestAssetUpload(deps, member, { kind: "image", mimeType: "image/png" }),
  "asset.uploaded":
    async (deps, { member }) =>
    () =>
      newFile(deps, member),
  "asset.imported":
    async (deps, { member }) =>
    () =>
      importAssetFromUrl({ ...deps, openUrl: openHello }, member, { url: "https://example.com/a.txt" }),
  "asset.copied": async (deps, { member }) => {
    const assetId = await newFile(deps, member);
    return () => copyAsset(deps, member, { assetId });
  },
  "asset.attached": async (deps, { member }) => {
    const [post, assetId] = [await createPost(deps, member, { title: "A", body: "" }), await newFile(deps, member)];
    return () => attachAsset(deps, member, { postId: post.id, assetId });
  },
  "asset.refused": async (deps, { member }) => {
    const post = await createPost(deps, member, { title: "A", body: "" });
    const { assetId } = await requestAssetUpload(deps, member, { kind: "image", mimeType: "image/png" });
    await (deps.files as HookedFiles).put(`incoming/${assetId}`, Buffer.alloc(0));
    return async () =>
      assert.rejects(attachAsset(deps, member, { postId: post.id, assetId }), (error: Error) => {
        if (!(error instanceof AppError)) throw error; // for example, the activity row could not be written
        return error.code === "invalid_input";
      });
  },
  "asset.detached": async (deps, { member }) => {
    const [post, assetId] = [await createPost(deps, member, { title: "A", body: "" }), await newFile(deps, member)];
    await attachAsset(deps, member, { postId: post.id, assetId });
    return () => detachAsset(deps, member, { postId: post.id, assetId });
  },
  "asset.updated": async (deps, { member }) => {
    const assetId = await newFile(deps, member);
    return () => updateAsset(deps, member, { assetId, altText: "What it shows" });
  },
  "asset.deleted": async (deps, { member }) => {
    const assetId = await newFile(deps, member);
    return () => deleteAsset(deps, member, { assetId });
  },
  "asset.restored": async (deps, { member }) => {
    const assetId = await newFile(deps, member);
    await deleteAsset(deps, member, { assetId });
    return () => restoreFromTrash(deps, member, { id: assetId });
  },
  "trash.emptied": async (deps, { admin }) => {
    const { id: postId } = await createPost(deps, admin, { title: "A", body: "" });
    await deletePost(deps, admin, { postId });
    return () => emptyTrash(deps, admin);
  },
  "platform.disconnected": async (deps, { admin }) => {
    const connectionId = await newConnection(deps, admin);
    return () => disconnectPlatform(deps, admin, { connectionId });
  },
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

const tables = [
  "studios",
  "users",
  "memberships",
  "invitations",
  "posts",
  "post_revisions",
  "comments",
  "comment_changes",
  "assets",
  "shared_files",
  "upload_links",
  "platform_connections",
  "activity",
] as const;

forEachEngine("activity", (fixture) => {
  const dumpTables = (): Promise<string[][]> =>
    Promise.all(
      tables.map(async (table) => {
        const rows = await fixture.database.q.selectFrom(table).selectAll().execute();
        return rows.map((row) => JSON.stringify(row)).toSorted();
      }),
    );

  for (const [action, prepare] of Object.entries(changes)) {
    test(`${action} records one activity row with actor, studio and subject (ACT-1, L5)`, async () => {
      const users = await newStudioWithRoles(fixture.deps);
      const change = await prepare(fixture.deps, users);
      const before = await listRows();
      await change();
      const newRows = (await listRows()).slice(before.length);
      assert.deepEqual(
        newRows.map((row) => row.action),
        [action],
      );
      const [row] = newRows;
      assert.ok(row?.studio_id && row.subject_id);
      assert.ok(row.user_id ?? (JSON.parse(row.detail) as { by?: string }).by === "operator");
      assert.equal(row.at, fixture.clock());
      if (action !== "studio.created") assert.equal(row.studio_id, users.owner.studio.id);
    });

    test(`${action} is rolled back if its activity row cannot be written (ACT-2)`, async () => {
      const users = await newStudioWithRoles(fixture.deps);
      const usedId = (await listRows()).at(-1)?.id ?? "";
      // The id of the activity row is already in use, so the last statement of the change fails.
      const deps: Deps = {
        ...fixture.deps,
        newId: (kind) => (kind === "activity" && failsOnActivity ? usedId : fixture.deps.newId(kind)),
      };
      let failsOnActivity = false;
      const change = await prepare(deps, users);
      const before = await dumpTables();
      failsOnActivity = true;
      await assert.rejects(change());
      assert.deepEqual(await dumpTables(), before);
      failsOnActivity = false;
      await change();
      assert.notDeepEqual(await dumpTables(), before);
    });
  }

  test("lists activity newest first, in pages, with the names of user and client (ACT-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const viaClient: Caller = { ...owner, client: { id: "client-1", name: "Claude" } };
    const post = await createPost(fixture.deps, viaClient, { title: "A", body: "" });
    await updatePost(fixture.deps, owner, { postId: post.id, status: "ready" });
    await createPost(fixture.deps, await newStudio(fixture.deps), { title: "Elsewhere", body: "" });
    const firstPage = await listActivity(fixture.deps, owner, listActivityInput.parse({ limit: 2 }));
    const at = new Date(fixture.clock()).toISOString();
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
          detail: { title: "A" },
        },
      ],
    );
    const secondPage = await listActivity(
      fixture.deps,
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
    const { deps } = fixture;
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
    const owner = await newStudio(fixture.deps);
    const { id: postId } = await createPost(fixture.deps, owner, { title: "A", body: "" });
    for (let i = 0; i < 5; i++)
      await attachAsset(fixture.deps, owner, { postId, assetId: await newFile(fixture.deps, owner) });
    const calls: number[] = [];
    const activity: Deps["activity"] = {
      ...fixture.deps.activity,
      async findNames(studioId, objects) {
        calls.push(objects.length);
        return fixture.deps.activity.findNames(studioId, objects);
      },
    };
    const page = await listActivity({ activity }, owner, listActivityInput.parse({ limit: 100 }));
    assert.equal(page.activity.filter(({ action }) => action === "asset.attached").length, 5);
    assert.equal(calls.length, 1);
  });

  test("does not name objects of another studio", async () => {
    const [owner, stranger] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const { id: postId } = await createPost(fixture.deps, stranger, { title: "Secret", body: "" });
    const assetId = await newFile(fixture.deps, stranger);
    const connectionId = await newConnection(fixture.deps, stranger);
    assert.deepEqual(
      await fixture.deps.activity.findNames(owner.studio.id, [
        { type: "post", id: postId },
        { type: "asset", id: assetId },
        { type: "account", id: connectionId },
      ]),
      [],
    );
  });

  test("filters activity by user, client, action and combinations of them (ACT-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const viaClient: Caller = { ...owner, client: { id: "client-1", name: "Claude" } };
    const member = await newMember(fixture.deps, owner, "member");
    const post = await createPost(fixture.deps, viaClient, { title: "A", body: "" });
    await updatePost(fixture.deps, member, { postId: post.id, title: "B" });
    await updatePost(fixture.deps, viaClient, { postId: post.id, status: "ready" });
    const search = async (filter: object) =>
      (await listActivity(fixture.deps, owner, searchActivityInput.parse(filter))).activity.map((row) => [
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
    const { nextCursor } = await listActivity(fixture.deps, owner, { action: "post.updated", limit: 1 });
    const nextPage = { limit: 1, cursor: nextCursor ?? "" };
    assert.equal((await listActivity(fixture.deps, owner, { action: "post.updated", ...nextPage })).activity.length, 1);
    assert.equal(
      await getOutcome(listActivity(fixture.deps, owner, nextPage)),
      "invalid_input",
      "a cursor from a list with another filter",
    );
  });

  test("rejects a cursor from another studio's activity (T8)", async () => {
    const [a, b] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    await newMember(fixture.deps, a, "member");
    const { nextCursor } = await listActivity(fixture.deps, a, { limit: 1 });
    assert.equal(
      await getOutcome(listActivity(fixture.deps, b, { limit: 1, cursor: nextCursor ?? "" })),
      "invalid_input",
    );
  });

  test("a rejected change records no activity (ACT-1)", async () => {
    const { owner, member } = await newStudioWithRoles(fixture.deps);
    const post = await createPost(fixture.deps, owner, { title: "A", body: "" });
    const before = (await listRows()).length;
    const rejectedChanges = [
      changeRole(fixture.deps, member, { userId: owner.user.id, role: "member" }),
      createInvitation(fixture.deps, member, { role: "member" }),
      updatePost(fixture.deps, member, { postId: post.id, title: "B", revision: 9 }),
      removeMember(fixture.deps, member, { userId: owner.user.id }),
    ];
    assert.deepEqual(await Promise.all(rejectedChanges.map((change) => getOutcome(change))), [
      "forbidden",
      "forbidden",
      "revision_conflict",
      "forbidden",
    ]);
    assert.equal((await listRows()).length, before);
  });

  async function listRows() {
    return fixture.database.q.selectFrom("activity").selectAll().orderBy("id").execute();
  }
});
