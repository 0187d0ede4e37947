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
import { forEachEngine } from "../support/engines.ts";
import { createInvitationToken, newMember, newUser, newStudio } from "../support/users.ts";

interface Link {
  url: string;
  expiresAt: string;
}
interface Members {
  members: MemberView[];
}
type Posts = z.infer<typeof listPostsOutput>;

forEachEngine("the JSON API", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  test("a new person founds a studio, and it is their active one", async () => {
    const person = await newUser(fixture.deps);
    const cookie = await server.signIn(person);
    const fresh = await call<Me>(server, "GET", "/api/me", { cookie });
    assert.deepEqual(fresh.json, { user: person.user, memberships: [], activeStudioId: null });
    assert.equal(fresh.headers.get("cache-control"), "no-store");
    const made = await call<StudioView>(server, "POST", "/api/studios", { cookie, body: { name: "Nord" } });
    assert.equal(made.status, 201);
    assert.deepEqual(Object.keys(made.json), ["id", "name", "slug", "timezone", "createdAt"]);
    const { json: me } = await call<Me>(server, "GET", "/api/me", { cookie });
    assert.deepEqual(me.memberships, [
      { studioId: made.json.id, studioName: "Nord", role: "owner", joinedAt: made.json.createdAt },
    ]);
    assert.equal(me.activeStudioId, made.json.id);
    const { role, may, manages, ...seen } = (
      await call<StudioDetail>(server, "GET", `/api/studios/${made.json.id}`, { cookie })
    ).json;
    assert.deepEqual(seen, made.json);
    assert.deepEqual({ role, may, manages }, { role: "owner", ...listPermissions("owner") });
  });

  test("whoever names what they have gets 304, until it changes", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    const post = await createPost(fixture.deps, owner, { title: "A", body: "" });
    for (const path of ["posts", `posts/${post.id}`]) {
      const address = `/api/studios/${owner.studio.id}/${path}`;
      const first = await call(server, "GET", address, { cookie });
      const known = { "if-none-match": first.headers.get("etag") ?? "" };
      const again = await call(server, "GET", address, { cookie, headers: known });
      assert.deepEqual([again.status, again.text, again.headers.get("cache-control")], [304, "", "no-store"]);
      await updatePost(fixture.deps, owner, { postId: post.id, title: `not ${path}` });
      assert.equal((await call(server, "GET", address, { cookie, headers: known })).status, 200);
    }
  });

  test("the active studio is set with 204 and no body; 404 unless a member", async () => {
    const person = await newUser(fixture.deps);
    const [first, second] = [await newStudio(fixture.deps, person), await newStudio(fixture.deps, person)];
    const foreign = await newStudio(fixture.deps);
    const cookie = await server.signIn(person);
    const set = (studioId: unknown): Promise<ApiResponse> =>
      call(server, "PUT", "/api/me/active-studio", { cookie, body: { studioId } });
    const done = await set(first.studio.id);
    assert.deepEqual([done.status, done.text], [204, ""]);
    assert.equal((await call<Me>(server, "GET", "/api/me", { cookie })).json.activeStudioId, first.studio.id);
    for (const id of [foreign.studio.id, "nothing", ""]) assertProblem(await set(id), 404, "not_found", id);
    assertProblem(await set(7), 400, "invalid_input");
    assert.equal((await call<Me>(server, "GET", "/api/me", { cookie })).json.activeStudioId, first.studio.id);
    assert.equal((await set(second.studio.id)).status, 204);
  });

  test("someone joins by a link, is promoted, and leaves", async () => {
    const owner = await newStudio(fixture.deps);
    const studio = `/api/studios/${owner.studio.id}`;
    const cookie = await server.signIn(owner);
    const invited = await call<Link>(server, "POST", `${studio}/invitations`, { cookie, body: { role: "member" } });
    assert.equal(invited.status, 201);
    const { url, expiresAt } = invited.json;
    assert.deepEqual(invited.json, { url, expiresAt });
    assert.ok(url.startsWith(`${server.base}/join/`) && Date.parse(expiresAt) > fixture.clock());
    assert.equal(
      (await call<{ invitations: InvitationView[] }>(server, "GET", `${studio}/invitations`, { cookie })).json
        .invitations.length,
      1,
    );

    const person = await newUser(fixture.deps);
    const theirs = await server.signIn(person);
    const joined = await call<MembershipView>(server, "POST", `/api/invitations/${url.split("/join/")[1]}/accept`, {
      cookie: theirs,
    });
    assert.deepEqual(
      [joined.status, joined.json.role, joined.json.studioId, joined.json.userId],
      [200, "member", owner.studio.id, person.user.id],
    );

    const promoted = await call<MembershipView>(server, "PATCH", `${studio}/members/${person.user.id}`, {
      cookie,
      body: { role: "admin" },
    });
    assert.deepEqual([promoted.status, promoted.json.role], [200, "admin"]);
    const { json: list } = await call<Members>(server, "GET", `${studio}/members`, { cookie: theirs });
    assert.deepEqual(
      list.members.map(({ userId, role }) => [userId, role]),
      [
        [owner.user.id, "owner"],
        [person.user.id, "admin"],
      ],
    );

    const left = await call(server, "DELETE", `${studio}/members/${person.user.id}`, { cookie: theirs });
    assert.deepEqual([left.status, left.text], [204, ""]);
    assertProblem(await call(server, "GET", `${studio}/members`, { cookie: theirs }), 404, "not_found");
    assertProblem(
      await call(server, "DELETE", `${studio}/members/${owner.user.id}`, { cookie }),
      403,
      "forbidden",
      "the last owner stays",
    );
  });

  test("an invitation is withdrawn", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/invitations`;
    const { json: made } = await call<Link>(server, "POST", path, {
      cookie,
      body: { role: "admin", email: "Kim@Example.com" },
    });
    const { json: open } = await call<{ invitations: InvitationView[] }>(server, "GET", path, { cookie });
    const id = open.invitations[0]?.id;
    assert.equal((await call(server, "DELETE", `${path}/${id}`, { cookie })).status, 204);
    assertProblem(await call(server, "DELETE", `${path}/${id}`, { cookie }), 404, "not_found");
    const stranger = await server.signIn(await newUser(fixture.deps, { email: "kim@example.com" }));
    assertProblem(
      await call(server, "POST", `/api/invitations/${made.url.split("/join/")[1]}/accept`, { cookie: stranger }),
      404,
      "not_found",
    );
  });

  test("posts answer as the tools do, and keep their place from page to page", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    const path = `/api/studios/${owner.studio.id}/posts`;
    const made: string[] = [];
    for (const title of ["Spring", "Summer", "Autumn"]) {
      const { status, json } = await call<PostView>(server, "POST", path, { cookie, body: { title, body: "Ä" } });
      assert.equal(status, 201);
      made.unshift(json.id);
    }
    const first = await call<Posts>(server, "GET", `${path}?limit=2`, { cookie });
    assert.deepEqual(Object.keys(first.json), ["posts", "nextCursor"]);
    const rest = await call<Posts>(server, "GET", `${path}?limit=2&cursor=${first.json.nextCursor}`, { cookie });
    assert.deepEqual(
      [...first.json.posts, ...rest.json.posts].map(({ id }) => id),
      made,
    );
    assert.equal(rest.json.nextCursor, null);
    assert.deepEqual(
      (await call<Posts>(server, "GET", `${path}?query=summer&status=draft`, { cookie })).json.posts.length,
      1,
    );

    const one = await call<PostView>(server, "GET", `${path}/${made[0]}`, { cookie });
    assert.deepEqual(
      [one.status, one.json.title, one.json.url],
      [200, "Autumn", `${server.base}/studios/${owner.studio.id}/posts/${made[0]}`],
    );
    const changed = await call<PostView>(server, "PATCH", `${path}/${made[0]}`, {
      cookie,
      body: { status: "ready", revision: 1 },
    });
    assert.deepEqual([changed.status, changed.json.status, changed.json.revision], [200, "ready", 2]);
    assertProblem(
      await call(server, "PATCH", `${path}/${made[0]}`, { cookie, body: { title: "Late", revision: 1 } }),
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

  test("without a session, or with one that ended, everything is 401", async () => {
    const owner = await newStudio(fixture.deps);
    const cookie = await server.signIn(owner);
    await fixture.database.q.deleteFrom("sessions").where("user_id", "=", owner.user.id).execute();
    for (const given of [undefined, "", "atelier=", "atelier=x", "other=1", cookie]) {
      assertProblem(await call<Me>(server, "GET", "/api/me", { cookie: given }), 401, "unauthenticated", given);
      assertProblem(
        await call(server, "GET", `/api/studios/${owner.studio.id}/posts`, { cookie: given }),
        401,
        "unauthenticated",
        given,
      );
    }
  });

  test("the web app's typed client speaks it", async () => {
    const owner = await newStudio(fixture.deps);
    const client = hc<Api>(server.base, { headers: { cookie: await server.signIn(owner), origin: server.base } });
    const param = { studioId: owner.studio.id };
    const made = await client.api.studios[":studioId"].posts.$post({ param, json: { title: "Typed" } });
    const post = await made.json();
    const listed = await client.api.studios[":studioId"].posts.$get({ param, query: { limit: "1" } });
    assert.deepEqual(
      (await listed.json()).posts.map(({ title }) => title),
      [post.title],
    );
    const role = await client.api.studios[":studioId"].members[":userId"].$patch({
      param: { ...param, userId: owner.user.id },
      json: { role: "owner" },
    });
    assert.equal((await role.json()).role, "owner");
  });

  test("an invitation is accepted once, by its address, before it is withdrawn, also over HTTP (T6)", async () => {
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

  test("an admin does not rise, remove an owner, or invite one (T7)", async () => {
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
