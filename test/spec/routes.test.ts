import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { assertProblem, call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { listApiRoutes, isWrite } from "../support/api-routes.ts";
import { createTestClock } from "../support/clock.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "../support/engines.ts";
import { newUser } from "../support/users.ts";

interface EdgeRoute {
  path: string;
  /** Which origins may call the route from a browser. */
  originRule: "any" | "own" | "upload" | "mcp";
  /** Also serves requests with a foreign Host header. */
  allowsAnyHost?: true;
  /** The status of GET and POST without a session, a token or a form. */
  get: number;
  post: number;
}

/** Every route of the HTTP server, in matching order. */
const edgeRoutes: readonly EdgeRoute[] = [
  { path: "/healthz", originRule: "any", allowsAnyHost: true, get: 200, post: 200 },
  { path: "/readyz", originRule: "any", allowsAnyHost: true, get: 200, post: 200 },
  { path: "/metrics", originRule: "any", allowsAnyHost: true, get: 200, post: 200 }, // from this machine only; see below
  { path: "/.well-known/oauth-protected-resource", originRule: "any", get: 200, post: 405 },
  { path: "/.well-known/oauth-protected-resource/mcp", originRule: "any", get: 200, post: 405 },
  { path: "/.well-known/oauth-authorization-server", originRule: "any", get: 200, post: 405 },
  { path: "/.well-known/oauth-authorization-server/mcp", originRule: "any", get: 200, post: 405 },
  { path: "/.well-known/openid-configuration", originRule: "any", get: 200, post: 405 },
  { path: "/.well-known/openid-configuration/mcp", originRule: "any", get: 200, post: 405 },
  { path: "/mcp/.well-known/openid-configuration", originRule: "any", get: 200, post: 405 },
  { path: "/api/auth/mcp/register", originRule: "any", get: 405, post: 400 },
  { path: "/api/auth/oauth2/token", originRule: "any", get: 405, post: 400 },
  { path: "/api/auth/oauth2/revoke", originRule: "any", get: 405, post: 400 },
  { path: "/api/auth/jwks", originRule: "any", get: 200, post: 405 },
  { path: "/api/auth/oauth2/authorize", originRule: "any", get: 400, post: 405 },
  { path: "/api/auth/oauth2/authorize/*", originRule: "any", get: 400, post: 405 },
  { path: "/.well-known/*", originRule: "any", get: 404, post: 404 },
  { path: "/mcp", originRule: "mcp", get: 401, post: 401 },
  { path: "/mcp/", originRule: "mcp", get: 401, post: 401 },
  { path: "/mcp/server-card", originRule: "any", get: 200, post: 405 },
  { path: "/.well-known/ai-catalog.json", originRule: "any", get: 200, post: 405 },
  { path: "/mcp/check", originRule: "own", get: 405, post: 200 },
  { path: "/login", originRule: "own", get: 200, post: 415 },
  { path: "/api/auth/callback/*", originRule: "own", get: 404, post: 404 },
  { path: "/link", originRule: "own", get: 303, post: 415 },
  { path: "/join/*", originRule: "own", get: 404, post: 415 },
  { path: "/api/sign-out", originRule: "own", get: 404, post: 204 },
  { path: "/consent/*", originRule: "own", get: 303, post: 415 },
  { path: "/connect/*", originRule: "own", get: 303, post: 415 },
  { path: "/api/platforms/bluesky/client-metadata.json", originRule: "any", get: 200, post: 405 },
  { path: "/api/platforms/callback/*", originRule: "own", get: 403, post: 404 },
  { path: "/dev-idp/sign-in/*", originRule: "own", get: 400, post: 415 }, // only without a configured issuer, on loopback
  { path: "/dev-idp/*", originRule: "own", get: 404, post: 404 },
  { path: "/sandbox/api/media", originRule: "own", get: 404, post: 401 }, // only with the dev issuer, like all of the sandbox
  { path: "/sandbox/api/posts", originRule: "own", get: 401, post: 401 },
  { path: "/sandbox/api/records/*", originRule: "own", get: 404, post: 401 },
  { path: "/sandbox/api/containers", originRule: "own", get: 404, post: 401 },
  { path: "/sandbox/api/containers/*", originRule: "own", get: 401, post: 404 },
  { path: "/sandbox/api/publish", originRule: "own", get: 404, post: 401 },
  { path: "/sandbox/api/metrics", originRule: "own", get: 401, post: 404 },
  { path: "/sandbox/posts", originRule: "own", get: 200, post: 404 },
  { path: "/sandbox/posts/*", originRule: "own", get: 404, post: 404 },
  { path: "/sandbox/faults", originRule: "own", get: 404, post: 404 },
  { path: "/sandbox/about", originRule: "own", get: 200, post: 404 },
  { path: "/sandbox/access/*", originRule: "own", get: 400, post: 415 },
  { path: "/sandbox/*", originRule: "own", get: 404, post: 404 },
  { path: "/files/thumb/*", originRule: "any", get: 404, post: 404 },
  { path: "/files/media/*", originRule: "any", get: 404, post: 404 },
  { path: "/api/reviews/*", originRule: "own", get: 404, post: 404 },
  { path: "/r/*", originRule: "own", get: 404, post: 404 },
  { path: "/files/review/*", originRule: "any", get: 404, post: 404 },
  { path: "/calendar/*", originRule: "any", get: 404, post: 404 },
  { path: "/unsubscribe/*", originRule: "any", get: 404, post: 404 },
  { path: "/api/uploads/*", originRule: "upload", get: 404, post: 404 },
  { path: "/u/*", originRule: "upload", get: 403, post: 404 },
  { path: "/api/*", originRule: "own", get: 404, post: 404 },
  { path: "/*", originRule: "own", get: 404, post: 404 }, // the test server has no built web app
];

/** Every route of the upload page's API. All require the token of an upload link. */
const uploadApiRoutes = [
  "GET /api/uploads/session",
  "POST /api/uploads/files",
  "POST /api/uploads/files/:fileId/addresses",
  "POST /api/uploads/files/:fileId/complete",
  "PATCH /api/uploads/files/:fileId",
  "DELETE /api/uploads/files/:fileId",
];

describe("routes", () => {
  let server: ApiServer;
  let close: () => Promise<void>;
  before(async () => {
    const location = await createTemporaryDatabase("sqlite");
    const database = await openDatabase({ ...location, log: silentLog });
    server = await startApiServer(createDeps(database, createTestClock()));
    close = async () => {
      await server.close();
      await database.close();
      await location.remove();
    };
  });
  after(() => close());

  test("the HTTP server has exactly the listed routes (L6)", () => {
    type ComparedFields = Pick<EdgeRoute, "path" | "originRule" | "allowsAnyHost">;
    const pickComparedFields = ({ path, originRule, allowsAnyHost }: ComparedFields) => ({
      path,
      originRule,
      allowsAnyHost,
    });
    assert.deepEqual(server.httpServer.routes.map(pickComparedFields), edgeRoutes.map(pickComparedFields));
  });

  test("the JSON API has exactly these routes, and those of the matrix of a studio's routes and roles", () => {
    const otherRoutes = listApiRoutes(server.api).filter(({ path }) => !path.startsWith("/api/studios/:studioId"));
    assert.deepEqual(
      otherRoutes.map(({ method, path }) => `${method} ${path}`),
      [
        "GET /api/me",
        "GET /api/instance",
        "PUT /api/me/active-studio",
        "GET /api/me/notifications",
        "POST /api/me/notifications/read",
        "POST /api/studios",
        "POST /api/invitations/:token/accept",
      ],
    );
  });

  test("the upload page's API has exactly the listed routes", () => {
    const routes = server.uploadApi.routes.filter(({ method }) => method !== "ALL");
    assert.deepEqual([...new Set(routes.map(({ method, path }) => `${method} ${path}`))], uploadApiRoutes);
  });

  for (const route of uploadApiRoutes) {
    test(`${route} requires the token of an upload link and ignores cookies (L6)`, async () => {
      const [method = "", path = ""] = route.split(" ");
      const cookie = await server.signIn(await newUser(server.deps));
      for (const headers of [{}, { cookie }, { "upload-token": "x.y" }, { "upload-token": "" }])
        assertProblem(await call(server, method, path, { headers }), 403, "forbidden");
    });
  }

  for (const { path, get, post } of edgeRoutes) {
    test(`${path} responds to unauthenticated requests with the listed status (L6)`, async () => {
      const probePath = path.replace("*", "probe");
      assert.deepEqual(
        [(await call(server, "GET", probePath)).status, (await call(server, "POST", probePath)).status],
        [get, post],
      );
    });
  }

  for (const route of listApiRoutes()) {
    test(`${route.method} ${route.path} requires a session${isWrite(route) ? " and our own origin" : ""} (L6)`, async () => {
      assertProblem(await call(server, route.method, route.path), 401, "unauthenticated");
      if (!isWrite(route)) return;
      const withoutOrigin = { origin: undefined, "sec-fetch-site": undefined };
      assertProblem(await call(server, route.method, route.path, { headers: withoutOrigin }), 403, "forbidden");
    });
  }

  test("metrics are served to this machine only, not through a proxy on it (L6)", async () => {
    for (const name of ["x-forwarded-for", "forwarded", "via", "x-real-ip"]) {
      assert.equal((await call(server, "GET", "/metrics", { headers: { [name]: "192.0.2.1" } })).status, 403, name);
    }
    // A proxy that sends no forwarding header.
    assert.equal((await call(server, "GET", "/metrics", { headers: { host: "atelier.example" } })).status, 403);
  });

  test("rejects foreign origins and foreign Host headers (M2)", async () => {
    for (const { path, originRule, allowsAnyHost } of edgeRoutes) {
      const probePath = path.replace("*", "probe");
      const foreignOrigin = await call(server, "GET", probePath, { headers: { origin: "https://evil.example" } });
      assert.equal(/This origin is not allowed/.test(foreignOrigin.text), originRule !== "any", path);
      const foreignHost = await call(server, "GET", probePath, { headers: { host: "evil.example" } });
      assert.equal(/does not serve that host name/.test(foreignHost.text), allowsAnyHost !== true, path);
    }
  });
});
