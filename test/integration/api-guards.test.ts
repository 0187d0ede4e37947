import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { minutes } from "#lib/clock.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { callRow, createScene, matrix, type MatrixRow, type Scene } from "../support/api-matrix.ts";
import { listApiRoutes, fillPath, isWrite } from "../support/api-routes.ts";
import { readContentRows } from "../support/ending-access.ts";
import { forOneEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { createInvitationToken, newStudio } from "../support/users.ts";

/** The names of the ids in a path of `matrix`, apart from those that are not of a studio. */
const listParams = (route: string): string[] =>
  [...route.matchAll(/:(\w+)/g)].map(([, name = ""]) => name).filter((name) => !["revision", "unknown"].includes(name));

const malformedIds = listHostileIds("post").filter((id) => id !== "" && id.isWellFormed() && id.length < 5000);

/** A request body that passes the guards of every route. */
const body = { name: "Studio", role: "member", title: "Title", studioId: "x" };

forOneEngine("JSON API guards", (fixture) => {
  let server: ApiServer;
  /** Two studios, each with its own user. No request of this suite changes them. */
  let mine: StudioFixture;
  let theirs: StudioFixture;
  /** Two more studios, with objects of every kind. */
  let myScene: Scene;
  let theirScene: Scene;
  before(async () => {
    server = await startApiServer(fixture.deps);
    [mine, theirs] = [await createStudioFixture(), await createStudioFixture()];
    myScene = await createScene(fixture.deps, server, "owner");
    theirScene = await createScene(fixture.deps, server, "owner");
  });
  // So that no rate limit counts the calls of the tests before.
  beforeEach(() => fixture.clock.advance(minutes(1)));
  after(() => server.close());

  type StudioFixture = Awaited<ReturnType<typeof createStudioFixture>>;
  async function createStudioFixture() {
    const owner = await newStudio(fixture.deps);
    const post = await createPost(fixture.deps, owner, { title: "Post", body: "" });
    const trashedPost = await createPost(fixture.deps, owner, { title: "Deleted", body: "" });
    await deletePost(fixture.deps, owner, { postId: trashedPost.id });
    const params = {
      studioId: owner.studio.id,
      userId: owner.user.id,
      postId: post.id,
      invitationId: fixture.deps.newId("invitation"),
      grantId: fixture.deps.newId("grant"),
      revision: "1",
      id: trashedPost.id,
      undoId: fixture.deps.newId("activity"),
      token: await createInvitationToken(fixture.deps, owner, "member"),
    };
    return { owner, params };
  }

  const readTables = async (): Promise<unknown[]> =>
    Promise.all(
      (["studios", "memberships", "invitations", "posts", "post_revisions", "activity"] as const).map((table) =>
        fixture.database.q.selectFrom(table).selectAll().execute(),
      ),
    );

  const untrustedHeaders: Record<string, string | undefined>[] = [
    { origin: undefined, "sec-fetch-site": undefined },
    { origin: "https://evil.example", "sec-fetch-site": undefined },
    { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
    { origin: "null", "sec-fetch-site": undefined },
    { origin: undefined, "sec-fetch-site": "cross-site" },
    { origin: undefined, "sec-fetch-site": "same-site" },
    { origin: undefined, "sec-fetch-site": "none" },
    { origin: "own", "sec-fetch-site": "cross-site" },
    { origin: "own", "sec-fetch-site": "same-site" },
    { origin: "own-with-other-port", "sec-fetch-site": undefined },
    { origin: "own-with-https", "sec-fetch-site": undefined },
  ];

  /** Replaces the `own…` placeholders in `untrustedHeaders` with origins derived from this server's. */
  function resolveOrigin(headers: Record<string, string | undefined>): Record<string, string | undefined> {
    const origins: Record<string, string> = {
      own: server.base,
      "own-with-other-port": server.base.replace(/\d+$/, "1"),
      "own-with-https": server.base.replace("http:", "https:"),
    };
    return { ...headers, origin: origins[headers["origin"] ?? ""] ?? headers["origin"] };
  }

  for (const route of listApiRoutes().filter(isWrite)) {
    test(`${route.method} ${route.path} rejects requests that do not come from its own origin (W1)`, async () => {
      const { params, owner } = mine;
      const cookie = await server.signIn(owner);
      const rowsBefore = await readTables();
      for (const headers of untrustedHeaders.map(resolveOrigin)) {
        for (const sessionCookie of [cookie, undefined]) {
          const response = await call(server, route.method, fillPath(route.path, params), {
            cookie: sessionCookie,
            body,
            headers,
          });
          assertProblem(response, 403, "forbidden", JSON.stringify(headers));
        }
      }
      assert.deepEqual(await readTables(), rowsBefore, "nothing changed");
      for (const headers of [{ "sec-fetch-site": undefined }, { origin: undefined }]) {
        const response = await call(server, route.method, fillPath(route.path, params), { body, headers });
        assertProblem(response, 401, "unauthenticated", "one trusted header is enough to reach the session check");
      }
    });
  }

  for (const route of listApiRoutes().filter(({ path }) => path.includes(":studioId"))) {
    test(`${route.method} ${route.path} returns 404 for another user's studio and for one that does not exist (T1)`, async () => {
      const cookie = await server.signIn(mine.owner);
      const rowsBefore = await readTables();
      const foreignResponse = await call(server, route.method, fillPath(route.path, theirs.params), { cookie, body });
      assertProblem(foreignResponse, 404, "not_found");
      for (const studioId of listHostileIds("studio").filter(
        (id) => id !== "" && id.isWellFormed() && id.length < 5000,
      )) {
        const response = await call(server, route.method, fillPath(route.path, { ...theirs.params, studioId }), {
          cookie,
          body,
        });
        assertProblem(response, 404, "not_found", JSON.stringify(studioId.slice(0, 60)));
        if (!studioId.includes(".."))
          assert.equal(response.json.detail, foreignResponse.json.detail, "a caller cannot tell the two apart");
      }
      assert.deepEqual(await readTables(), rowsBefore);
    });
  }

  for (const row of matrix.filter(({ route }) => listParams(route).length > 0)) {
    test(`${row.route} ${row.variant ?? ""} returns 404 for each id that is malformed or of another studio (T1, ERR-not_found)`, async () => {
      const rowsBefore = await prepareRow(row);
      for (const name of listParams(row.route)) {
        const foreignId = await theirScene.getId(name);
        for (const id of [foreignId, ...malformedIds]) {
          const getId = async (wanted: string) => (wanted === name ? encodeURIComponent(id) : myScene.getId(wanted));
          assertProblem(await callRow(server, { ...myScene, getId }, row), 404, "not_found", `${name}: ${id}`);
        }
      }
      assert.deepEqual(await readContentRows(fixture), rowsBefore, "nothing changed");
    });
  }

  /** Creates every object of the row in both studios. */
  async function prepareRow(row: MatrixRow): Promise<Record<string, unknown[]>> {
    for (const scene of [myScene, theirScene]) {
      for (const name of listParams(row.route)) await scene.getId(name);
      if (typeof row.body === "function") await row.body(scene.getId);
    }
    return readContentRows(fixture);
  }

  for (const row of matrix.filter(({ body: input }) => typeof input === "function")) {
    test(`${row.route} returns 404 for ids of another studio in the body (T1, ERR-not_found)`, async () => {
      const rowsBefore = await prepareRow(row);
      const foreignBody = typeof row.body === "function" ? await row.body(theirScene.getId) : {};
      assertProblem(await callRow(server, myScene, { ...row, body: foreignBody }), 404, "not_found");
      assert.deepEqual(await readContentRows(fixture), rowsBefore, "nothing changed");
    });
  }

  test("POST /api/invitations/:token/accept returns 404 for a malformed token (T1, ERR-not_found)", async () => {
    const cookie = await server.signIn(mine.owner);
    for (const token of malformedIds) {
      const path = `/api/invitations/${encodeURIComponent(token)}/accept`;
      assertProblem(await call(server, "POST", path, { cookie }), 404, "not_found", token);
    }
  });

  test("responds 404 to an unknown path or method, with and without a session", async () => {
    const cookie = await server.signIn(mine.owner);
    const studio = `/api/studios/${mine.params.studioId}`;
    const unknownPaths = [
      "/api/",
      "/api/nothing",
      "/api/me/",
      "/api/me/nothing",
      `${studio}/nothing`,
      `${studio}/posts/x/y`,
      "/api/%2e%2e/healthz",
      "/api/../healthz",
      "/api/me%00",
      "/api/%ff",
      "/api//me",
    ];
    for (const path of unknownPaths) {
      for (const sessionCookie of [cookie, undefined]) {
        for (const method of ["GET", "POST"])
          assertProblem(await call(server, method, path, { cookie: sessionCookie }), 404, "not_found", path);
      }
    }
    for (const [method, path] of [
      ["DELETE", "/api/me"],
      ["POST", "/api/me"],
      ["GET", "/api/studios"],
      ["PUT", studio],
      ["TRACE", "/api/me"],
      ["PROPFIND", "/api/me"],
    ] as const) {
      assertProblem(await call(server, method, path, { cookie }), 404, "not_found", `${method} ${path}`);
    }
  });

  test("rejects requests from other origins, with or without a preflight, and sends no CORS headers (W6)", async () => {
    const cookie = await server.signIn(mine.owner);
    const preflight = {
      origin: "https://evil.example",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type",
    };
    assertProblem(await call(server, "OPTIONS", "/api/me", { cookie, headers: preflight }), 403, "forbidden");
    assertProblem(
      await call(server, "GET", "/api/me", { cookie, headers: { origin: "https://evil.example" } }),
      403,
      "forbidden",
    );
    assertProblem(await call(server, "GET", "/api/me", { cookie, headers: { origin: "null" } }), 403, "forbidden");
    const sameOrigin = await call(server, "GET", "/api/me", { cookie, headers: { origin: server.base } });
    assert.equal(sameOrigin.status, 200);
    assert.deepEqual(
      [...sameOrigin.headers.keys()].filter((name) => name.startsWith("access-control")),
      [],
    );
  });

  test("responds to HEAD with the status and headers of GET, and no body", async () => {
    const cookie = await server.signIn(mine.owner);
    const [head, anonymous] = [
      await call(server, "HEAD", "/api/me", { cookie }),
      await call(server, "HEAD", "/api/me"),
    ];
    assert.deepEqual([head.status, head.text, head.headers.get("content-type")], [200, "", "application/json"]);
    assert.deepEqual([anonymous.status, anonymous.text], [401, ""]);
  });

  test("sends uncacheable responses with the security headers", async () => {
    const cookie = await server.signIn(mine.owner);
    const { headers } = await call(server, "GET", "/api/me", { cookie });
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.match(headers.get("x-request-id") ?? "", /^req_/);
  });

  // Last, because the trash expires while the clock advances.
  for (const route of listApiRoutes()) {
    test(`${route.method} ${route.path} requires a session`, async () => {
      const { params, owner } = mine;
      const rowsBefore = await readTables();
      assertProblem(await call(server, route.method, fillPath(route.path, params)), 401, "unauthenticated");
      // The session is checked first, before the body and the ids.
      const wrongType = { "content-type": "text/plain" };
      assertProblem(
        await call(server, route.method, fillPath(route.path, {}), { body: "{", headers: wrongType }),
        401,
        "unauthenticated",
      );
      assert.deepEqual(await readTables(), rowsBefore);
      const cookie = await server.signIn(owner);
      fixture.clock.advance(31 * 86_400_000);
      assertProblem(
        await call(server, route.method, fillPath(route.path, params), { cookie }),
        401,
        "unauthenticated",
        "expired",
      );
    });
  }
});
