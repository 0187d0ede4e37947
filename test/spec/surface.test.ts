import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { apiRoutes, isWrite } from "../support/api-routes.ts";
import { createTestClock } from "../support/clock.ts";
import { createDeps, createPlace, silent } from "../support/engines.ts";

/** Who gets in. Each is tried below, with nothing in hand. */
type Access =
  /** Anyone, from anywhere. */
  | "everyone"
  /** Peers on this machine, unless there is a token. */
  | "this machine"
  /** The routes below it decide, each by itself. */
  | "see the API"
  /** Nothing is there. */
  | "nobody";

/** Every address of the door, in the order in which they are tried. */
const edge: readonly [path: string, origin: string, host: "any host" | "our host", access: Access][] = [
  ["/healthz", "any", "any host", "everyone"],
  ["/readyz", "any", "any host", "everyone"],
  ["/metrics", "any", "any host", "this machine"],
  ["/.well-known/*", "any", "our host", "nobody"],
  ["/api/*", "own", "our host", "see the API"],
  ["/*", "own", "our host", "everyone"],
];

/** Every route of the JSON API. All of them want a session; those that change something, our own page as well. */
const api = [
  "GET /api/me",
  "PUT /api/me/active-studio",
  "POST /api/studios",
  "POST /api/invitations/:token/accept",
  "GET /api/studios/:studioId",
  "GET /api/studios/:studioId/activity",
  "GET /api/studios/:studioId/members",
  "PATCH /api/studios/:studioId/members/:userId",
  "DELETE /api/studios/:studioId/members/:userId",
  "GET /api/studios/:studioId/invitations",
  "POST /api/studios/:studioId/invitations",
  "DELETE /api/studios/:studioId/invitations/:invitationId",
  "GET /api/studios/:studioId/posts",
  "POST /api/studios/:studioId/posts",
  "GET /api/studios/:studioId/posts/:postId",
  "PATCH /api/studios/:studioId/posts/:postId",
  "GET /api/studios/:studioId/clients",
  "DELETE /api/studios/:studioId/clients/:grantId",
];

describe("the surface", () => {
  let server: ApiServer;
  let close: () => Promise<void>;
  before(async () => {
    const place = await createPlace("sqlite");
    const database = await openDatabase({ ...place, log: silent });
    server = await startApiServer(createDeps(database, createTestClock()));
    close = async () => {
      await server.close();
      await database.close();
      await place.remove();
    };
  });
  after(() => close());

  test("[L6] the door has these addresses and no other", () => {
    const real = server.routes.map(({ path, origin, anyHost }) => [path, origin, anyHost ? "any host" : "our host"]);
    assert.deepEqual(
      real,
      edge.map(([path, origin, host]) => [path, origin, host]),
    );
  });

  test("the API has these routes and no other", () => {
    assert.deepEqual(
      apiRoutes(server.api).map(({ method, path }) => `${method} ${path}`),
      api,
    );
  });

  test("[L6] with nothing in hand, each answers what the table says", async () => {
    for (const [path, , , access] of edge) {
      const answer = await call(server, "GET", path.replace("*", "probe"));
      if (access === "nobody" || access === "see the API") assertProblem(answer, 404, "not_found", path);
      if (access === "this machine") {
        assert.equal(answer.status, 200, path);
        const forwarded = await call(server, "GET", path, { headers: { "x-forwarded-for": "192.0.2.1" } });
        assert.equal(forwarded.status, 403, "not for those behind a proxy");
      }
      if (access === "everyone") assert.ok([200, 404].includes(answer.status), path);
    }
    for (const route of apiRoutes(server.api)) {
      const name = `${route.method} ${route.path}`;
      assertProblem(await call(server, route.method, route.path), 401, "unauthenticated", name);
      if (!isWrite(route)) continue;
      assertProblem(
        await call(server, route.method, route.path, { headers: { origin: undefined, "sec-fetch-site": undefined } }),
        403,
        "forbidden",
        name,
      );
    }
  });

  test("[M2] a foreign page, or a foreign name for us, gets nowhere", async () => {
    for (const [path, origin, host] of edge) {
      const where = path.replace("*", "probe");
      const page = await call(server, "GET", where, { headers: { origin: "https://evil.example" } });
      assert.equal(page.status === 403, origin === "own", path);
      const name = await call(server, "GET", where, { headers: { host: "evil.example" } });
      assert.equal(name.status === 403, host === "our host", path);
    }
  });
});
