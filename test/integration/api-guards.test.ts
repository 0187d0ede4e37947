import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import { days, minutes } from "#lib/clock.ts";
import { assertProblem, call, startApiServer } from "../support/api-server.ts";
import { callRow, createScene, matrix, type MatrixRow, type Scene } from "../support/api-matrix.ts";
import { listApiRoutes, fillPath, isWrite } from "../support/api-routes.ts";
import { readContentRows } from "../support/ending-access.ts";
import { forOneEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { startForSuite } from "../support/start-for-suite.ts";

/** The names of the ids in a path of `matrix`, apart from those that are not of a studio. */
const listParams = (route: string): string[] =>
  [...route.matchAll(/:(\w+)/g)].map(([, name = ""]) => name).filter((name) => !["revision", "unknown"].includes(name));

const malformedIds = listHostileIds("post").filter((id) => id !== "" && id.isWellFormed() && id.length < 5000);

/** A request body that passes the guards of every route. */
const body = { name: "Studio", role: "member", title: "Title", studioId: "x" };

forOneEngine("JSON API guards", (fixture) => {
  const server = startForSuite(() => startApiServer(fixture.deps));
  /** Two studios with objects of every kind. No request of this suite changes them. */
  let mine: Scene;
  let theirs: Scene;
  before(async () => {
    mine = await createScene(fixture.deps, server, "owner");
    theirs = await createScene(fixture.deps, server, "owner");
  });
  // So that no rate limit counts the calls of the tests before.
  beforeEach(() => fixture.clock.advance(minutes(1)));

  /** Runs requests that must be rejected. */
  async function assertUnchanged(work: () => Promise<void>): Promise<void> {
    const rowsBefore = await readContentRows(fixture);
    await work();
    assert.deepEqual(await readContentRows(fixture), rowsBefore, "nothing changed");
  }

  async function assertForeignOrigin(
    route: { method: string; path: string },
    headers: Record<string, string | undefined>,
  ): Promise<void> {
    const path = fillPath(route.path, { studioId: mine.self.studio.id });
    for (const cookie of [mine.cookie, undefined])
      assertProblem(
        await call(server, route.method, path, { cookie, body, headers }),
        403,
        "forbidden",
        `${route.method} ${path} ${JSON.stringify(headers)}`,
      );
  }

  test("rejects every change that does not come from its own origin (W1)", async () => {
    const foreignOrigin = { origin: "https://evil.example", "sec-fetch-site": undefined };
    await assertUnchanged(async () => {
      for (const route of listApiRoutes().filter(isWrite)) await assertForeignOrigin(route, foreignOrigin);
    });
  });

  test("a change needs an origin header or a fetch metadata header of its own origin, and no other one (W1)", async () => {
    const createStudio = { method: "POST", path: "/api/studios" };
    const ownOrigin = server.base;
    const untrustedHeaders: Record<string, string | undefined>[] = [
      { origin: undefined, "sec-fetch-site": undefined },
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
      { origin: "null", "sec-fetch-site": undefined },
      { origin: undefined, "sec-fetch-site": "cross-site" },
      { origin: undefined, "sec-fetch-site": "same-site" },
      { origin: undefined, "sec-fetch-site": "none" },
      { origin: ownOrigin, "sec-fetch-site": "cross-site" },
      { origin: ownOrigin, "sec-fetch-site": "same-site" },
      { origin: ownOrigin.replace(/\d+$/, "1"), "sec-fetch-site": undefined },
      { origin: ownOrigin.replace("http:", "https:"), "sec-fetch-site": undefined },
    ];
    await assertUnchanged(async () => {
      for (const headers of untrustedHeaders) await assertForeignOrigin(createStudio, headers);
    });
    for (const headers of [{ "sec-fetch-site": undefined }, { origin: undefined }]) {
      const response = await call(server, createStudio.method, createStudio.path, { body, headers });
      assertProblem(response, 401, "unauthenticated", "one trusted header is enough to reach the session check");
    }
  });

  /** Creates every object of the row in both studios. */
  async function prepareRow(row: MatrixRow): Promise<void> {
    for (const scene of [mine, theirs]) {
      for (const name of listParams(row.route)) await scene.getId(name);
      if (typeof row.body === "function") await row.body(scene.getId);
    }
  }

  const testedParams = new Set<string>();
  for (const row of matrix)
    test(`${row.route} ${row.variant ?? ""} returns 404 in another studio, and for each id of another studio (STUDIO-5, T1, T2, ERR-not_found)`, async () => {
      await prepareRow(row);
      await assertUnchanged(async () => {
        assertProblem(await callRow(server, { ...theirs, cookie: mine.cookie }, row), 404, "not_found");
        for (const name of listParams(row.route)) {
          // A NUL is what PostgreSQL rejects, so every statement must expect it.
          const ids = [await theirs.getId(name), ...(testedParams.has(name) ? ["pst_\0"] : malformedIds)];
          testedParams.add(name);
          for (const id of ids) {
            const getId = async (wanted: string) => (wanted === name ? encodeURIComponent(id) : mine.getId(wanted));
            assertProblem(await callRow(server, { ...mine, getId }, row), 404, "not_found", `${name}: ${id}`);
          }
        }
        if (typeof row.body !== "function") return;
        const foreignBody = await row.body(theirs.getId);
        assertProblem(await callRow(server, mine, { ...row, body: foreignBody }), 404, "not_found", "in the body");
      });
    });

  test("POST /api/invitations/:token/accept returns 404 for a malformed token (T1, ERR-not_found)", async () => {
    const { cookie } = mine;
    for (const token of malformedIds) {
      const path = `/api/invitations/${encodeURIComponent(token)}/accept`;
      assertProblem(await call(server, "POST", path, { cookie }), 404, "not_found", token);
    }
  });

  test("responds 404 to an unknown path or method, with and without a session", async () => {
    const { cookie, studio } = mine;
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
    const { cookie } = mine;
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
    const { cookie } = mine;
    const [head, anonymous] = [
      await call(server, "HEAD", "/api/me", { cookie }),
      await call(server, "HEAD", "/api/me"),
    ];
    assert.deepEqual([head.status, head.text, head.headers.get("content-type")], [200, "", "application/json"]);
    assert.deepEqual([anonymous.status, anonymous.text], [401, ""]);
  });

  test("sends uncacheable responses with the security headers", async () => {
    const { cookie } = mine;
    const { headers } = await call(server, "GET", "/api/me", { cookie });
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
    assert.match(headers.get("x-request-id") ?? "", /^req_/);
  });

  // Last, because the session expires.
  test("every route requires a session that has not expired, before it reads the body and the ids", async () => {
    fixture.clock.advance(days(31));
    const wrongType = { "content-type": "text/plain" };
    await assertUnchanged(async () => {
      for (const { method, path } of listApiRoutes()) {
        const url = fillPath(path, { studioId: mine.self.studio.id });
        for (const options of [{}, { body: "{", headers: wrongType }, { cookie: "atelier=x" }, { cookie: mine.cookie }])
          assertProblem(await call(server, method, url, options), 401, "unauthenticated", `${method} ${path}`);
      }
    });
  });
});
