import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hc } from "hono/client";
import type { z } from "zod";
import type { Me } from "#domain/access/me.ts";
import type { listActivityOutput } from "#domain/activity/list-activity.ts";
import { listPermissions } from "#domain/policy.ts";
import { createPost } from "#domain/posts/create-post.ts";
import type { listPostsOutput } from "#domain/posts/list-posts.ts";
import type { PostView } from "#domain/posts/post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { MembershipView, MemberView } from "#domain/studios/members.ts";
import type { StudioView } from "#domain/studios/create-studio.ts";
import type { StudioDetail } from "#domain/studios/get-studio.ts";
import type { InvitationView } from "#domain/studios/invitation.ts";
import type { Api } from "#http/api/api.ts";
import { assertProblem, call, startApiServer, type ApiResponse, type ApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

interface Link {
  url: string;
  expiresAt: string;
}
interface Members {
  members: MemberView[];
}
type Posts = z.infer<typeof listPostsOutput>;

forOneEngine("JSON API", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  test("a new user creates a studio, which becomes their active studio", async () => {
    const signedInUser = await newUser(fixture.deps);
    const cookie = await server.signIn(signedInUser);
    const initial = await call<Me>(server, "GET", "/api/me", { cookie });
    assert.deepEqual(initial.json, { user: signedInUser.user, memberships: [], activeStudioId: null });
    assert.equal(initial.headers.get("cache-control"), "no-store");
    const created = await call<StudioView>(server, "POST", "/api/studios", { cookie, body: { name: "Nord" } });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.json), ["id", "name", "slug", "timezone", "approval", "createdAt"]);
    const { json: me } = await call<Me>(server, "GET", "/api/me", { cookie });
    assert.deepEqual(me.memberships, [
      { studioId: created.json.id, studioName: "Nord", role: "owner", joinedAt: created.json.createdAt },
    ]);
    assert.equal(me.activeStudioId, created.json.id);
    const { role, may, manages, ...studio } = (
      await call<StudioDetail>(server, "GET", `/api/studios/${created.json.id}`, { cookie })
    ).json;
    assert.deepEqual(studio, created.json);
    assert.deepEqual({ role, may, manages }, { role: "owner", ...listPermissions("owner") });
  });

  test("a request with a matching ETag gets 304 until the resource changes", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    const post = await createPost(fixture.deps, owner, { title: "A", body: "" });
    for (const path of ["posts", `posts/${post.id}`]) {
      const url = `/api/studios/${owner.studio.id}/${path}`;
      const first = await call(server, "GET", url, { cookie });
      const ifNoneMatch = { "if-none-match": first.headers.get("etag") ?? "" };
      const unchanged = await call(server, "GET", url, { cookie, headers: ifNoneMatch });
      assert.deepEqual(
        [unchanged.status, unchanged.text, unchanged.headers.get("cache-control")],
        [304, "", "no-store"],
      );
      await updatePost(fixture.deps, owner, { postId: post.id, title: `changed after GET ${path}` });
      assert.equal((await call(server, "GET", url, { cookie, headers: ifNoneMatch })).status, 200);
    }
  });

  test("setting the active studio returns 204 without a body, or 404 if the user is not a member", async () => {
    const signedInUser = await newUser(fixture.deps);
    const [first, second] = [await newStudio(fixture.deps, signedInUser), await newStudio(fixture.deps, signedInUser)];
    const otherOwner = await newStudio(fixture.deps);
    const cookie = await server.signIn(signedInUser);
    const setActive = (studioId: unknown): Promise<ApiResponse> =>
      call(server, "PUT", "/api/me/active-studio", { cookie, body: { studioId } });
    const response = await setActive(first.studio.id);
    assert.deepEqual([response.status, response.text], [204, ""]);
    assert.equal((await call<Me>(server, "GET", "/api/me", { cookie })).json.activeStudioId, first.studio.id);
    for (const id of [otherOwner.studio.id, "nothing", ""]) assertProblem(await setActive(id), 404, "not_found", id);
    assertProblem(await setActive(7), 400, "invalid_input");
    assert.equal((await call<Me>(server, "GET", "/api/me", { cookie })).json.activeStudioId, first.studio.id);
    assert.equal((await setActive(second.studio.id)).status, 204);
  });

  test("a user joins through a link, is promoted, and leaves", async () => {
    const owner = await newStudio(fixture.deps);
    const studio = `/api/studios/${owner.studio.id}`;
    const cookie = await server.signIn(owner);
    const invitation = await call<Link>(server, "POST", `${studio}/invitations`, { cookie, body: { role: "member" } });
    assert.equal(invitation.status, 201);
    const { url, expiresAt } = invitation.json;
    assert.deepEqual(invitation.json, { url, expiresAt });
    assert.ok(url.startsWith(`${server.base}/join/`) && Date.parse(expiresAt) > fixture.clock());
    assert.equal(
      (await call<{ invitations: InvitationView[] }>(server, "GET", `${studio}/invitations`, { cookie })).json
        .invitations.length,
      1,
    );

    const signedInUser = await newUser(fixture.deps);
    const memberCookie = await server.signIn(signedInUser);
    const joinResponse = await call<MembershipView>(
      server,
      "POST",
      `/api/invitations/${url.split("/join/")[1]}/accept`,
      {
        cookie: memberCookie,
      },
    );
    assert.deepEqual(
      [joinResponse.status, joinResponse.json.role, joinResponse.json.studioId, joinResponse.json.userId],
      [200, "member", owner.studio.id, signedInUser.user.id],
    );

    const roleResponse = await call<MembershipView>(server, "PATCH", `${studio}/members/${signedInUser.user.id}`, {
      cookie,
      body: { role: "admin" },
    });
    assert.deepEqual([roleResponse.status, roleResponse.json.role], [200, "admin"]);
    const { json: list } = await call<Members>(server, "GET", `${studio}/members`, { cookie: memberCookie });
    assert.deepEqual(
      list.members.map(({ userId, role }) => [userId, role]),
      [
        [owner.user.id, "owner"],
        [signedInUser.user.id, "admin"],
      ],
    );

    const leaveResponse = await call(server, "DELETE", `${studio}/members/${signedInUser.user.id}`, {
      cookie: memberCookie,
    });
    assert.deepEqual([leaveResponse.status, leaveResponse.text], [204, ""]);
    assertProblem(await call(server, "GET", `${studio}/members`, { cookie: memberCookie }), 404, "not_found");
    assertProblem(
      await call(server, "DELETE", `${studio}/members/${owner.user.id}`, { cookie }),
      403,
      "forbidden",
      "the last owner cannot leave",
    );
  });

  test("a revoked invitation cannot be accepted", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/invitations`;
    const { json: invitation } = await call<Link>(server, "POST", path, {
      cookie,
      body: { role: "admin", email: "Kim@Example.com" },
    });
    const { json: open } = await call<{ invitations: InvitationView[] }>(server, "GET", path, { cookie });
    const id = open.invitations[0]?.id;
    assert.equal((await call(server, "DELETE", `${path}/${id}`, { cookie })).status, 204);
    assertProblem(await call(server, "DELETE", `${path}/${id}`, { cookie }), 404, "not_found");
    const inviteeCookie = await server.signIn(await newUser(fixture.deps, { email: "kim@example.com" }));
    assertProblem(
      await call(server, "POST", `/api/invitations/${invitation.url.split("/join/")[1]}/accept`, {
        cookie: inviteeCookie,
      }),
      404,
      "not_found",
    );
  });

  test("posts have the same shape as in the tools, and pages neither repeat nor skip any", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/posts`;
    const postIds: string[] = [];
    for (const title of ["Spring", "Summer", "Autumn"]) {
      const { status, json } = await call<PostView>(server, "POST", path, { cookie, body: { title, body: "Ä" } });
      assert.equal(status, 201);
      postIds.unshift(json.id);
    }
    const first = await call<Posts>(server, "GET", `${path}?limit=2`, { cookie });
    assert.deepEqual(Object.keys(first.json), ["posts", "nextCursor"]);
    const rest = await call<Posts>(server, "GET", `${path}?limit=2&cursor=${first.json.nextCursor}`, { cookie });
    assert.deepEqual(
      [...first.json.posts, ...rest.json.posts].map(({ id }) => id),
      postIds,
    );
    assert.equal(rest.json.nextCursor, null);
    assert.deepEqual(
      (await call<Posts>(server, "GET", `${path}?query=summer&status=draft`, { cookie })).json.posts.length,
      1,
    );

    const read = await call<PostView>(server, "GET", `${path}/${postIds[0]}`, { cookie });
    assert.deepEqual(
      [read.status, read.json.title, read.json.url],
      [200, "Autumn", `${server.base}/studios/${owner.studio.id}/posts/${postIds[0]}`],
    );
    const updateResponse = await call<PostView>(server, "PATCH", `${path}/${postIds[0]}`, {
      cookie,
      body: { status: "ready", revision: 1 },
    });
    assert.deepEqual(
      [updateResponse.status, updateResponse.json.status, updateResponse.json.revision],
      [200, "ready", 2],
    );
    assertProblem(
      await call(server, "PATCH", `${path}/${postIds[0]}`, { cookie, body: { title: "Late", revision: 1 } }),
      409,
      "revision_conflict",
    );
    const { json: log } = await call<z.infer<typeof listActivityOutput>>(
      server,
      "GET",
      `/api/studios/${owner.studio.id}/activity?limit=1`,
      { cookie },
    );
    assert.deepEqual(
      [log.activity[0]?.action, log.activity[0]?.user?.id, log.activity[0]?.client],
      ["post.updated", owner.user.id, null],
    );
  });

  test("rejects a filter with text that PostgreSQL can't store (ACT-1)", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    for (const field of ["userId", "clientId"]) {
      const path = `/api/studios/${owner.studio.id}/activity?${field}=`;
      assertProblem(await call(server, "GET", `${path}usr_%00`, { cookie }), 400, "invalid_input", field);
      assert.equal((await call(server, "GET", `${path}usr_unknown`, { cookie })).status, 200, field);
    }
  });

  test("returns 401 without a session, or with one that has ended", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    await fixture.database.q.deleteFrom("sessions").where("user_id", "=", owner.user.id).execute();
    for (const invalidCookie of [undefined, "", "atelier=", "atelier=x", "other=1", cookie]) {
      assertProblem(
        await call<Me>(server, "GET", "/api/me", { cookie: invalidCookie }),
        401,
        "unauthenticated",
        invalidCookie,
      );
      assertProblem(
        await call(server, "GET", `/api/studios/${owner.studio.id}/posts`, { cookie: invalidCookie }),
        401,
        "unauthenticated",
        invalidCookie,
      );
    }
  });

  test("the web app's typed client can call the API", async () => {
    const owner = await newStudio(fixture.deps);
    const client = hc<Api>(server.base, { headers: { cookie: await server.signIn(owner), origin: server.base } });
    const param = { studioId: owner.studio.id };
    const created = await client.api.studios[":studioId"].posts.$post({ param, json: { title: "Typed" } });
    const post = await created.json();
    const listed = await client.api.studios[":studioId"].posts.$get({ param, query: { limit: "1" } });
    assert.deepEqual(
      (await listed.json()).posts.map(({ title }) => title),
      [post.title],
    );
    const roleResponse = await client.api.studios[":studioId"].members[":userId"].$patch({
      param: { ...param, userId: owner.user.id },
      json: { role: "owner" },
    });
    assert.equal((await roleResponse.json()).role, "owner");
  });

  test("an invitation can be accepted once over HTTP, and only by the user with its email (T6)", async () => {
    const owner = await newStudio(fixture.deps);
    const token = await createInvitationToken(fixture.deps, owner, "member", "kate@example.com");
    const accept = async (cookie: string): Promise<ApiResponse> =>
      call(server, "POST", `/api/invitations/${token}/accept`, { cookie });
    assertProblem(
      await accept(await server.signIn(await newUser(fixture.deps, { email: "eve@example.com" }))),
      403,
      "forbidden",
    );
    const kate = await server.signIn(await newUser(fixture.deps, { email: "kate@example.com" }));
    const parallel = await Promise.all(Array.from({ length: 8 }, () => accept(kate)));
    assert.deepEqual(
      parallel.filter(({ status }) => ![200, 404].includes(status)),
      [],
    );
    assert.ok(parallel.some(({ status }) => status === 200));
    assert.equal(
      (await call<Members>(server, "GET", `/api/studios/${owner.studio.id}/members`, { cookie: kate })).json.members
        .length,
      2,
    );
    assertProblem(await accept(await server.signIn(await newUser(fixture.deps))), 404, "not_found");
  });

  test("an admin cannot become an owner, and cannot demote, remove or invite one (T7)", async () => {
    const owner = await newStudio(fixture.deps);
    const admin = await newMember(fixture.deps, owner, "admin");
    const cookie = await server.signIn(admin);
    const studio = `/api/studios/${owner.studio.id}`;
    assertProblem(
      await call(server, "PATCH", `${studio}/members/${admin.user.id}`, { cookie, body: { role: "owner" } }),
      403,
      "forbidden",
    );
    assertProblem(
      await call(server, "PATCH", `${studio}/members/${owner.user.id}`, { cookie, body: { role: "member" } }),
      403,
      "forbidden",
    );
    assertProblem(await call(server, "DELETE", `${studio}/members/${owner.user.id}`, { cookie }), 403, "forbidden");
    assertProblem(
      await call(server, "POST", `${studio}/invitations`, { cookie, body: { role: "owner" } }),
      403,
      "forbidden",
    );
    assert.equal(
      (await call(server, "POST", `${studio}/invitations`, { cookie, body: { role: "admin" } })).status,
      201,
    );
  });
});
