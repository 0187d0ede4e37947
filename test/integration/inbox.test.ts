import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { statement } from "#db/database.ts";
import { moveGrant, revokeClient } from "#domain/access/clients.ts";
import type { Caller } from "#domain/caller.ts";
import { addComment } from "#domain/comments/comments.ts";
import { fanOut } from "#domain/jobs/fan-out.ts";
import { notifyUsers, type NotifyDeps } from "#domain/jobs/notify.ts";
import { createPurgeJob } from "#domain/jobs/purge-expired.ts";
import { listNotifications, type NotificationPage } from "#domain/notifications/notifications.ts";
import { recordActivity } from "#domain/changes/record-activity.ts";
import { recordPublicationActivity } from "#domain/changes/change-publication.ts";
import { writes } from "#domain/ports/write-stores.ts";
import { sendBackPublication } from "#domain/publishing/change-publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { shareForReview } from "#domain/reviews/review-links.ts";
import { removeMember } from "#domain/studios/members.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { days, toIsoTime } from "#lib/clock.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { untilDone } from "../support/batch-options.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { actThroughDrafter, addPost } from "../support/history-fixture.ts";
import { openPageStream } from "../support/page-stream.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { startForSuite } from "../support/start-for-suite.ts";
import { waitUntil } from "../support/wait-until.ts";
import { newMember, newStudio } from "../support/users.ts";

forEachEngine("notifications of users", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));
  const getDeps = () => server.deps;

  async function createScene() {
    const deps = getDeps();
    const owner = await newStudio(deps);
    const member = await newMember(deps, owner, "member");
    const { postId } = await addPost(deps, owner, { title: "Spring" });
    const connectionId = await newConnection(deps, owner, "harbour", "sandbox");
    const propose = async (caller: Caller, title = "Spring"): Promise<string> => {
      const post = await addPost(deps, owner, { title });
      const input = { postId: post.postId, connectionIds: [connectionId], propose: true };
      return (await publishPost(deps, caller, input)).publications[0]?.id ?? "";
    };
    return { deps, owner, member, postId, connectionId, propose };
  }
  const readInbox = (caller: Caller, input: object = {}) =>
    listNotifications(getDeps(), caller, { limit: 100, studioId: caller.studio.id, ...input });
  const readTexts = async (caller: Caller) => (await readInbox(caller)).notifications.map(({ text }) => text);
  const passOn = (deps: Pick<Deps, "activity" | "transact"> & NotifyDeps = getDeps()) =>
    fanOut(deps, [{ read: (tx, events) => notifyUsers(deps, tx, events) }]);

  test("notifies everyone who may approve a proposal, also the person whose client made it, but not of own clicks (NTF-1)", async () => {
    const { deps, owner, member, propose } = await createScene();
    const claude = await actThroughDrafter(deps, member);
    const publicationId = await propose(claude);
    await passOn();
    for (const caller of [owner, member]) {
      const { notifications, unread, nextCursor } = await readInbox(caller);
      assert.deepEqual([notifications.length, unread, nextCursor], [1, 1, null]);
      const [{ type, text, publicationId: id, studioId, readAt }] = notifications as [(typeof notifications)[number]];
      assert.deepEqual([type, id, studioId, readAt], ["approval", publicationId, owner.studio.id, null]);
      assert.match(text, new RegExp(`^Claude, for ${member.user.name}, proposed to publish “Spring” on harbour on `));
    }
    await updateStudio(deps, owner, { approval: "everyone" });
    await propose(member, "By the member");
    await propose(owner, "By the owner");
    await passOn();
    assert.equal((await readTexts(member)).length, 1);
    assert.deepEqual(
      (await readTexts(owner)).map((text) => /“.*”/.exec(text)?.[0]),
      ["“By the member”", "“Spring”"],
    );
  });

  test("notifies the requester and the approver that a publication failed, is unconfirmed or was missed (NTF-1)", async () => {
    const { deps, owner, member, propose } = await createScene();
    const other = await newMember(deps, owner, "member");
    const cases = [
      ["publication.failed", { reason: "The image is too\nlarge." }, /wasn’t published.*The image is too large\.$/],
      ["publication.unconfirmed", {}, /Check the account\.$/],
      ["publication.missed", {}, /the server was down at its time\.$/],
    ] as const;
    for (const [action, detail, sentence] of cases) {
      const publicationId = await propose(await actThroughDrafter(deps, member));
      await deps.transact({ job: "test" }, async (tx) => {
        const publication = await tx.publications.find(owner.studio.id, publicationId);
        const approved = { ...publication!, approvedBy: owner.user.id };
        await tx[writes].publications.update(publicationId, { approvedBy: owner.user.id }, { states: ["proposed"] });
        await recordPublicationActivity(deps, tx, {}, action, approved, detail);
      });
      await passOn();
      for (const caller of [owner, member]) assert.match((await readTexts(caller))[0] ?? "", sentence);
    }
    assert.ok((await readInbox(other)).notifications.every(({ type }) => type === "approval"));
  });

  test("notifies of comments, mentions, requests for changes and what others do to a user's client (NTF-1)", async () => {
    const { deps, owner, member, postId, propose } = await createScene();
    await addComment(deps, member, { postId, body: "First line\nsecond line" });
    await addComment(deps, owner, { postId, body: "My own" });
    await addComment(deps, owner, {
      postId,
      body: `Thanks @${member.user.name.toUpperCase()}! mail@${member.user.name}`,
    });
    await addComment(deps, member, { postId, body: `@${owner.user.name}: see above` });
    await addComment(deps, member, { postId, body: `@${owner.user.name}5 is unknown` });
    await passOn();
    const { notifications } = await readInbox(owner);
    assert.deepEqual(
      notifications.map(({ type, postId: id }) => [type, id]),
      [
        ["comment", postId],
        ["mention", postId],
        ["comment", postId],
      ],
    );
    assert.equal(notifications[2]?.text, `${member.user.name} commented on “Spring”: First line second line`);
    assert.deepEqual(
      (await readInbox(member)).notifications.map(({ type }) => type),
      ["mention"],
    );

    const claude = await actThroughDrafter(deps, member);
    await sendBackPublication(deps, owner, { publicationId: await propose(claude) });
    await moveGrant(deps, claude, { grantId: claude.grantId });
    await revokeClient(deps, owner, { grantId: claude.grantId });
    await passOn();
    const told = await readInbox(member);
    assert.deepEqual(told.notifications.map(({ type }) => type).slice(0, 2), ["client", "review"]);
    assert.equal(told.notifications[0]?.text, `Claude was disconnected by ${owner.user.name}.`);
    assert.equal((await readInbox(owner)).notifications.length, 3);
  });

  test("notifies the creators of a post and of its review link of what a guest decides (NTF-1)", async () => {
    const { deps, owner, member, postId } = await createScene();
    const { id: linkId } = await shareForReview(deps, member, { postIds: [postId] });
    const detail = { linkId, guest: { name: "Kim", unverified: true }, comment: "The date is wrong." };
    await deps.transact({ job: "test" }, (tx) =>
      recordActivity(deps, tx, { studio: owner.studio }, "review.changes_requested", postId, detail),
    );
    await passOn();
    for (const caller of [owner, member])
      assert.deepEqual(await readTexts(caller), [
        "Kim, by review link, asked for changes to “Spring”. The date is wrong.",
      ]);
  });

  test("notifies owners and admins that an account needs to be reconnected or ends soon, and of disabled webhooks (NTF-1)", async () => {
    const { deps, owner, member, connectionId } = await createScene();
    const admin = await newMember(deps, owner, "admin");
    await deps.transact({ job: "test" }, (tx) =>
      recordActivity(deps, tx, { studio: owner.studio }, "platform.needs_reconnect", connectionId),
    );
    await passOn();
    for (const [action, detail] of [
      ["platform.expires_soon", { expiresAt: "2026-12-01T10:30:00.000Z" }],
      ["webhook.disabled", { host: "hooks.example.com", reason: "failing" }],
    ] as const) {
      await deps.transact({ job: "test" }, (tx) =>
        recordActivity(deps, tx, { studio: owner.studio }, action, connectionId, detail),
      );
      await passOn();
    }
    for (const caller of [owner, admin]) {
      const [disabled, ending, broken] = await readTexts(caller);
      assert.match(disabled ?? "", /^The webhook to hooks\.example\.com was disabled/);
      assert.match(ending ?? "", /^Reconnect harbour on \S+ until 2026-12-01 10:30 UTC/);
      assert.match(broken ?? "", /^Reconnect harbour on .*no longer accepts/);
    }
    assert.deepEqual(await readTexts(member), []);
  });

  test("notifies a user of an event once, however many processes read it at the same time (NTF-1)", async () => {
    const { deps, owner, propose } = await createScene();
    await propose(await actThroughDrafter(deps, owner));
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ ...fixture.location, log: silentLog })),
    );
    await Promise.all(
      databases.map((database) => passOn({ ...createDeps(database, fixture.clock), platforms: getDeps().platforms })),
    );
    await Promise.all(databases.map((database) => database.close()));
    assert.equal((await readInbox(owner)).unread, 1);
  });

  test("lists and marks as read over HTTP, only in studios that the user is still in (NTF-1, T2)", async () => {
    const { deps, owner, member, propose } = await createScene();
    const elsewhere = await newMember(deps, await newStudio(deps), "member", member);
    for (let i = 0; i < 3; i++) await propose(await actThroughDrafter(deps, owner), `Post ${i}`);
    await passOn();
    const [cookie, ownerCookie] = [await server.signIn(member), await server.signIn(owner)];
    const path = "/api/me/notifications";
    const get = (query = "") => call<NotificationPage>(server, "GET", `${path}${query}`, { cookie });
    const read = (body: unknown) => call(server, "POST", `${path}/read`, { cookie, body });

    const first = (await get(`?studioId=${owner.studio.id}&limit=2`)).json;
    assert.deepEqual([first.notifications.length, first.unread], [2, 3]);
    const second = await get(`?studioId=${owner.studio.id}&limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([second.json.notifications.length, second.json.nextCursor], [1, null]);
    assert.equal((await get(`?studioId=${elsewhere.studio.id}`)).json.unread, 0);

    const [newest] = first.notifications;
    for (const body of [
      {},
      { ids: [] },
      { ids: [newest?.id], before: toIsoTime(deps.clock()) },
      { before: "yesterday" },
      { ids: Array.from({ length: 101 }, () => "ntf") },
      { ids: [1] },
    ])
      assertProblem(await read(body), 400, "invalid_input", JSON.stringify(body));
    for (const query of ["?limit=0", "?cursor=x", "?studio=x"]) assertProblem(await get(query), 400, "invalid_input");

    // Ids of another user, or of nothing, have no effect.
    const others = await call<NotificationPage>(server, "GET", path, { cookie: ownerCookie });
    assert.equal((await read({ ids: [others.json.notifications[0]?.id, "x"] })).status, 204);
    assert.equal((await read({ ids: [newest?.id] })).status, 204);
    assert.equal((await get()).json.unread, 2);
    assert.equal((await read({ before: "2000-01-01T00:00:00Z" })).status, 204);
    assert.equal((await get()).json.unread, 2);
    const before = toIsoTime(fixture.clock() + 1);
    assert.equal((await read({ before, studioId: elsewhere.studio.id })).status, 204);
    assert.equal((await get()).json.unread, 2);
    assert.equal((await read({ before })).status, 204);
    const all = (await get()).json;
    assert.deepEqual([all.unread, all.notifications.every(({ readAt }) => readAt !== null)], [0, true]);
    assert.equal((await readInbox(owner)).unread, 3);

    await removeMember(deps, owner, { userId: member.user.id });
    for (const query of ["", `?studioId=${owner.studio.id}`, "?studioId=std_x"])
      assert.deepEqual((await get(query)).json, { notifications: [], unread: 0, nextCursor: null });
  });

  test("announces new and read notifications on the pages of their user only (NTF-1)", async () => {
    const { deps, owner, member, postId } = await createScene();
    const streams = await Promise.all(
      [owner, member].map(async (caller) => openPageStream(server.base, owner.studio.id, await server.signIn(caller))),
    );
    const [ownStream, otherStream] = streams as [(typeof streams)[number], (typeof streams)[number]];
    const count = () => ownStream.listObjects().filter((object) => object === "notification null").length;
    for (const stream of streams) await stream.waitFor("notification null");
    const before = otherStream.listObjects().length;
    await addComment(deps, member, { postId, body: "Hello" });
    await passOn();
    await otherStream.waitFor(`comment ${postId}`);
    await waitUntil(() => count() >= 2);
    const [told] = (await readInbox(owner)).notifications;
    const cookie = await server.signIn(owner);
    await call(server, "POST", "/api/me/notifications/read", { cookie, body: { ids: [told?.id] } });
    await waitUntil(() => count() >= 3);
    assert.deepEqual(otherStream.listObjects().slice(before), [`comment ${postId}`]);
    for (const stream of streams) stream.close();
  });

  test("counts at most 1,000 unread notifications (NTF-1, F4)", async () => {
    const { deps, owner, member, postId } = await createScene();
    await addComment(deps, member, { postId, body: "Hello" });
    await passOn();
    const row = await fixture.database.q
      .selectFrom("notifications")
      .selectAll()
      .where("userId", "=", owner.user.id)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 1000 }, () => ({
      ...row,
      id: deps.newId("notification"),
      activityId: deps.newId("activity"),
    }));
    await deps.transact({ job: "test" }, (tx) => tx.notifications.insert(copies));
    assert.equal((await readInbox(owner)).unread, 1000);
    const versions = await deps.notifications.findVersions([owner.user.id]);
    assert.match(versions.get(owner.user.id) ?? "", / 1000$/);
  });

  test("deletes notifications after 90 days (NTF-1)", async () => {
    const { deps, owner, member, postId } = await createScene();
    await addComment(deps, member, { postId, body: "Old" });
    await passOn();
    fixture.clock.advance(days(90) + 1);
    await createPurgeJob(deps)(untilDone);
    const query = statement<{ id: string }>("SELECT id FROM notifications WHERE studio_id = $1");
    assert.deepEqual(await fixture.database.run(query, [owner.studio.id]), []);
  });
});
