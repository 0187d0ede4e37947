import assert from "node:assert/strict";
import { test } from "node:test";
import { hc } from "hono/client";
import type { Me } from "#domain/access/me.ts";
import { listPermissions, type Role } from "#domain/policy.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { MembershipView, MemberView } from "#domain/studios/members.ts";
import type { StudioDetail, StudioView } from "#domain/studios/studios.ts";
import type { InvitationView } from "#domain/studios/invitations.ts";
import type { Api } from "#http/api/api.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { newUser, newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

interface Link {
  url: string;
  expiresAt: string;
}

forOneEngine("JSON API", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));

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

  test("a user joins through a link, is promoted, and leaves", async () => {
    const owner = await newStudio(fixture.deps);
    const studio = `/api/studios/${owner.studio.id}`;
    const cookie = await server.signIn(owner);
    const createInvitation = async (role: Role) =>
      (await call<Link>(server, "POST", `${studio}/invitations`, { cookie, body: { role } })).json;
    const { url, expiresAt, ...others } = await createInvitation("member");
    assert.ok(url.startsWith(`${server.base}/join/`) && Date.parse(expiresAt) > fixture.clock());
    assert.deepEqual(others, {});
    const { invitations } = (
      await call<{ invitations: InvitationView[] }>(server, "GET", `${studio}/invitations`, { cookie })
    ).json;
    assert.equal(invitations.length, 1);

    const { user, credential } = await newUser(fixture.deps);
    const memberCookie = await server.signIn({ user, credential });
    const accept = () =>
      call<MembershipView>(server, "POST", `/api/invitations/${url.split("/join/")[1]}/accept`, {
        cookie: memberCookie,
      });
    const { status, json: membership } = await accept();
    assert.deepEqual(
      [status, membership.role, membership.studioId, membership.userId],
      [200, "member", owner.studio.id, user.id],
    );
    assertProblem(await accept(), 404, "not_found", "an invitation can be used once");
    const member = `${studio}/members/${user.id}`;
    const promotion = await call<MembershipView>(server, "PATCH", member, { cookie, body: { role: "admin" } });
    assert.deepEqual([promotion.status, promotion.json.role], [200, "admin"]);
    const { json: list } = await call<{ members: MemberView[] }>(server, "GET", `${studio}/members`, { cookie });
    assert.deepEqual(
      list.members.map(({ role }) => role),
      ["owner", "admin"],
    );
    const left = await call(server, "DELETE", member, { cookie: memberCookie });
    assert.deepEqual([left.status, left.text], [204, ""]);
    assertProblem(await call(server, "GET", `${studio}/members`, { cookie: memberCookie }), 404, "not_found");
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
  });
});
