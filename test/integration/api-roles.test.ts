import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { z } from "zod";
import { createGrant } from "#domain/access/create-grant.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { roles, type Role } from "#domain/policy.ts";
import { createPost } from "#domain/posts/create-post.ts";
import type { listPostsOutput } from "#domain/posts/list-posts.ts";
import { createInvitation } from "#domain/studios/create-invitation.ts";
import { createUploadLink } from "#domain/uploads/create-upload-link.ts";
import { assertProblem, call, startApiServer, type ApiResponse, type ApiServer } from "../support/api-server.ts";
import { listApiRoutes } from "../support/api-routes.ts";
import { forEachEngine } from "../support/engines.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { newMember, newStudio } from "../support/users.ts";
import { png } from "../support/samples.ts";

interface Cell {
  route: string;
  what?: string;
  body?: unknown;
  /** What owner, admin and member are answered. */
  answers: readonly [number, number, number];
}

/** Who may do what: the whole of it. 404 where a member is not even told that the thing is there. */
const matrix: readonly Cell[] = [
  { route: "GET /", answers: [200, 200, 200] },
  { route: "PATCH /", body: { name: "Other" }, answers: [200, 200, 403] },
  { route: "POST /deletion", body: { name: "Studio" }, answers: [204, 403, 403] },
  { route: "POST /deletion", what: "without its name", body: { name: "Studi" }, answers: [400, 403, 403] },
  { route: "GET /activity", answers: [200, 200, 403] },
  { route: "GET /members", answers: [200, 200, 200] },
  { route: "PATCH /members/:member", body: { role: "admin" }, answers: [200, 200, 403] },
  { route: "PATCH /members/:member", what: "to owner", body: { role: "owner" }, answers: [200, 403, 403] },
  { route: "PATCH /members/:owner", body: { role: "member" }, answers: [200, 403, 403] },
  { route: "PATCH /members/:unknown", body: { role: "member" }, answers: [404, 404, 403] },
  { route: "DELETE /members/:member", answers: [204, 204, 403] },
  { route: "DELETE /members/:owner", answers: [204, 403, 403] },
  { route: "DELETE /members/:unknown", answers: [404, 404, 403] },
  { route: "DELETE /members/:self", answers: [204, 204, 204] },
  { route: "GET /invitations", answers: [200, 200, 403] },
  { route: "POST /invitations", body: { role: "member" }, answers: [201, 201, 403] },
  { route: "POST /invitations", what: "as admin", body: { role: "admin" }, answers: [201, 201, 403] },
  { route: "POST /invitations", what: "as owner", body: { role: "owner" }, answers: [201, 403, 403] },
  { route: "DELETE /invitations/:invitation", answers: [204, 204, 403] },
  { route: "DELETE /invitations/:unknown", answers: [404, 404, 403] },
  { route: "GET /posts", answers: [200, 200, 200] },
  { route: "POST /posts", body: { title: "New" }, answers: [201, 201, 201] },
  { route: "GET /posts/:post", answers: [200, 200, 200] },
  { route: "PATCH /posts/:post", body: { title: "Other" }, answers: [200, 200, 200] },
  { route: "GET /assets", answers: [200, 200, 200] },
  { route: "GET /assets/:asset", answers: [200, 200, 200] },
  { route: "PATCH /assets/:asset", body: { altText: "A harbour" }, answers: [200, 200, 200] },
  { route: "DELETE /assets/:asset", answers: [204, 204, 204] },
  { route: "DELETE /assets/:attached", what: "while on a post", answers: [409, 409, 409] },
  { route: "GET /posts/:post/assets", answers: [200, 200, 200] },
  { route: "PUT /posts/:post/assets/:asset", answers: [200, 200, 200] },
  { route: "DELETE /posts/:post/assets/:attached", answers: [204, 204, 204] },
  { route: "GET /posts/:post/upload-links", answers: [200, 200, 200] },
  { route: "POST /posts/:post/upload-links", body: {}, answers: [201, 201, 201] },
  { route: "DELETE /posts/:post/upload-links/:link", answers: [204, 204, 204] },
  { route: "GET /platforms", answers: [200, 200, 200] },
  { route: "POST /platforms/connect", body: { platform: "sandbox" }, answers: [201, 201, 403] },
  { route: "POST /platforms/connect", what: "unknown", body: { platform: "nope" }, answers: [400, 400, 403] },
  { route: "DELETE /platforms/:connection", answers: [200, 200, 403] },
  { route: "DELETE /platforms/:unknown", answers: [404, 404, 403] },
  { route: "GET /clients", answers: [200, 200, 200] },
  { route: "DELETE /clients", answers: [200, 200, 200] },
  { route: "DELETE /clients/:grant", what: "of someone else", answers: [204, 204, 404] },
  { route: "DELETE /clients/:ownGrant", answers: [204, 204, 204] },
];

forEachEngine("roles over HTTP", (fixture) => {
  let server: ApiServer;
  before(async () => void (server = await startApiServer(fixture.deps)));
  after(() => server.close());

  const approve = async (caller: Caller): Promise<string> =>
    (
      await createGrant(fixture.deps, caller, {
        clientId: "c",
        clientName: "C",
        clientVerified: false,
        redirectHost: "h",
        scopes: ["studio:read"],
      })
    ).id;

  const upload = async (caller: Caller): Promise<string> => {
    const base64 = (await png()).toString("base64");
    return (await uploadAssetInline(fixture.deps, caller, { kind: "image", mimeType: "image/png", base64 })).assetId;
  };

  /** A studio with two owners, a member to act upon, and the one who acts. */
  async function scene(role: Role): Promise<{ cookie: string; studio: string; ids: Record<string, string> }> {
    const owner = await newStudio(fixture.deps);
    const [other, member, self] = [
      await newMember(fixture.deps, owner, "owner"),
      await newMember(fixture.deps, owner, "member"),
      await newMember(fixture.deps, owner, role),
    ];
    const post = await createPost(fixture.deps, owner, { title: "Post", body: "" });
    const [asset, attached] = [await upload(owner), await upload(owner)];
    await attachAsset(fixture.deps, owner, { postId: post.id, assetId: attached });
    const ids = {
      owner: other.user.id,
      member: member.user.id,
      self: self.user.id,
      unknown: fixture.deps.newId("user"),
      invitation: (await createInvitation(fixture.deps, owner, { role: "member" })).id,
      post: post.id,
      asset,
      attached,
      connection: await newConnection(fixture.deps, owner),
      link: (await createUploadLink(fixture.deps, owner, { postId: post.id, inPlace: false })).id,
      grant: await approve(member),
      ownGrant: await approve(self),
    };
    return { cookie: await server.signIn(self), studio: `/api/studios/${owner.studio.id}`, ids };
  }

  for (const { route, what = "", body, answers } of matrix) {
    test(`${route} ${what} (T3)`.trim(), async () => {
      const [method = "", path = ""] = route.split(" ");
      for (const [i, role] of roles.entries()) {
        const { cookie, studio, ids } = await scene(role);
        const answer = await call(
          server,
          method,
          studio + (path === "/" ? "" : path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? "")),
          { cookie, body },
        );
        assert.equal(answer.status, answers[i], `${role}: ${answer.text}`);
        if (answer.status === 403) assertProblem(answer, 403, "forbidden");
      }
    });
  }

  test("the table is whole: every route of a studio is in it (T3)", () => {
    const bare = (route: string): string => route.replace(/:\w+/g, ":id");
    const routes = listApiRoutes().filter(({ path }) => path.includes(":studioId"));
    const real = routes.map(({ method, path }) =>
      bare(`${method} ${path.replace("/api/studios/:studioId", "") || "/"}`),
    );
    assert.deepEqual([...new Set(matrix.map(({ route }) => bare(route)))].toSorted(), real.toSorted());
  });

  test("what a body says of studio, user or id does not count: it is refused (T2)", async () => {
    const [mine, theirs] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const cookie = await server.signIn(mine);
    const studio = `/api/studios/${mine.studio.id}`;
    const post = await createPost(fixture.deps, mine, { title: "Mine", body: "" });
    const victim = await createPost(fixture.deps, theirs, { title: "Theirs", body: "" });
    const overrides = [
      { studioId: theirs.studio.id },
      { studio_id: theirs.studio.id },
      { userId: theirs.user.id },
      { createdBy: theirs.user.id },
      { id: victim.id },
      { __proto__x: 1 },
    ];
    const rows = async () => fixture.database.q.selectFrom("posts").selectAll().orderBy("id").execute();
    const rowsBefore = await rows();
    for (const extra of overrides) {
      assertProblem(
        await call(server, "POST", `${studio}/posts`, { cookie, body: { title: "New", ...extra } }),
        400,
        "invalid_input",
        JSON.stringify(extra),
      );
      assertProblem(
        await call(server, "PATCH", `${studio}/posts/${post.id}`, { cookie, body: { title: "New", ...extra } }),
        400,
        "invalid_input",
      );
      assertProblem(
        await call(server, "PATCH", `${studio}/members/${mine.user.id}`, { cookie, body: { role: "owner", ...extra } }),
        400,
        "invalid_input",
      );
    }
    assertProblem(
      await call(server, "PATCH", `${studio}/posts/${post.id}`, { cookie, body: { title: "New", postId: victim.id } }),
      400,
      "invalid_input",
    );
    assertProblem(
      await call(server, "PATCH", `${studio}/posts/${victim.id}`, { cookie, body: { title: "New" } }),
      404,
      "not_found",
    );
    assert.deepEqual(await rows(), rowsBefore, "no row");
  });

  test("cursors of another list, and limits out of bounds, are refused (T8)", async () => {
    const [a, b] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    for (const owner of [a, b])
      for (const title of ["1", "2", "3"]) await createPost(fixture.deps, owner, { title, body: "" });
    const [mine, theirs] = [await server.signIn(a), await server.signIn(b)];
    const list = (
      owner: Caller,
      cookie: string,
      query: string,
    ): Promise<ApiResponse<z.infer<typeof listPostsOutput>>> =>
      call(server, "GET", `/api/studios/${owner.studio.id}/${query}`, { cookie });
    const { nextCursor } = (await list(a, mine, "posts?limit=1")).json;
    assertProblem(await list(b, theirs, `posts?cursor=${nextCursor}`), 400, "invalid_input");
    assertProblem(await list(a, mine, `posts?status=draft&cursor=${nextCursor}`), 400, "invalid_input");
    assertProblem(await list(a, mine, `activity?cursor=${nextCursor}`), 400, "invalid_input");
    for (const limit of [
      "0",
      "-1",
      "101",
      "1000000000",
      "1e9",
      "1.5",
      "NaN",
      "Infinity",
      "0x10",
      "",
      "%20",
      "1%00",
      encodeURIComponent("９"),
      "1&limit=2",
      "99999999999999999999999",
    ]) {
      assertProblem(await list(a, mine, `posts?limit=${limit}`), 400, "invalid_input", limit);
    }
    for (const query of [
      "status=gone",
      "status=",
      "cursor=x",
      `cursor=${"x".repeat(501)}`,
      `query=${"x".repeat(201)}`,
      "query=%00",
      "studioId=x",
      "cursor=%00",
      "__proto__=1",
      "constructor=1",
    ]) {
      assertProblem(await list(a, mine, `posts?${query}`), 400, "invalid_input", query);
    }
    assert.equal((await list(a, mine, "posts?limit=100&query=%25")).json.posts.length, 0, "a wildcard is a character");
  });
});
