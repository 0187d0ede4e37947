import assert from "node:assert/strict";
import { test } from "node:test";
import { roles, type Role } from "#domain/policy.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { callRow, createScene, matrix, type Scene } from "../support/api-matrix.ts";
import { listApiRoutes } from "../support/api-routes.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { startForSuite } from "../support/start-for-suite.ts";

forOneEngine("roles over HTTP", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));

  /** Scenes that no request has changed yet; creating one takes much longer than a request. */
  const unchangedScenes = new Map<Role, Scene>();

  for (const row of matrix) {
    const { route, variant = "", statuses } = row;
    test(`${[route, variant].filter(Boolean).join(" ")} responds to each role with the status in the matrix (ROLE-1, ERR-forbidden, T3)`, async () => {
      for (const [i, role] of roles.entries()) {
        const scene = unchangedScenes.get(role) ?? (await createScene(fixture.deps, server, role));
        const response = await callRow(server, scene, row);
        if (route.startsWith("GET") || response.status >= 400) unchangedScenes.set(role, scene);
        else unchangedScenes.delete(role);
        assert.equal(response.status, statuses[i], `${role}: ${response.text}`);
        if (response.status === 403) assertProblem(response, 403, "forbidden");
      }
    });
  }

  test("the matrix covers every route of a studio (T3)", () => {
    const normalizeParams = (route: string): string => route.replace(/:\w+/g, ":id");
    const routes = listApiRoutes().filter(({ path }) => path.includes(":studioId"));
    const actualRoutes = routes.map(({ method, path }) =>
      normalizeParams(`${method} ${path.replace("/api/studios/:studioId", "") || "/"}`),
    );
    assert.deepEqual(
      [...new Set(matrix.map(({ route }) => normalizeParams(route)))].toSorted(),
      actualRoutes.toSorted(),
    );
  });

  test("rejects a body that names a studio, user or id (T2)", async () => {
    const [mine, theirs] = [await newStudio(fixture.deps), await newStudio(fixture.deps)];
    const cookie = await server.signIn(mine);
    const studio = `/api/studios/${mine.studio.id}`;
    const post = await createPost(fixture.deps, mine, { title: "Mine", body: "" });
    const victim = await createPost(fixture.deps, theirs, { title: "Theirs", body: "" });
    const readRows = async () => fixture.database.q.selectFrom("posts").selectAll().orderBy("id").execute();
    const rowsBefore = await readRows();
    const targets = [
      ["POST", `${studio}/posts`, { title: "New" }],
      ["PATCH", `${studio}/posts/${post.id}`, { title: "New" }],
      ["PATCH", `${studio}/members/${mine.user.id}`, { role: "owner" }],
    ] as const;
    const overrides = [
      { studioId: theirs.studio.id },
      { studio_id: theirs.studio.id },
      { userId: theirs.user.id },
      { createdBy: theirs.user.id },
      { id: victim.id },
      { postId: victim.id },
      { __proto__x: 1 },
    ];
    for (const [method, path, body] of targets)
      for (const extra of overrides) {
        const response = await call(server, method, path, { cookie, body: { ...body, ...extra } });
        assertProblem(response, 400, "invalid_input", `${path} ${JSON.stringify(extra)}`);
      }
    assert.deepEqual(await readRows(), rowsBefore, "no row changed");
  });
});
