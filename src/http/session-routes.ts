import type { Sessions } from "#auth/sign-in.ts";
import type { Deps } from "#domain/deps.ts";
import type { Signer } from "#lib/signed-token.ts";
import { assertSameOrigin } from "./guards.ts";
import { createJoinRoutes } from "./pages/join-routes.ts";
import { createLoginRoutes, type LoginRouteOptions } from "./pages/login-routes.ts";
import { routeNotFoundError } from "./problem.ts";
import type { Route } from "./server.ts";

export interface SessionRouteOptions extends LoginRouteOptions {
  deps: Deps;
  signer: Signer;
}

/** Routes for signing in, joining a studio and signing out. */
export function createSessionRoutes(options: SessionRouteOptions): Route[] {
  return [...createLoginRoutes(options), ...createJoinRoutes(options), createSignOutRoute(options)];
}

/** Deletes the web session on the server and its cookie. Grants of AI clients stay valid. */
function createSignOutRoute({ base, sessions }: { base: string; sessions: Sessions }): Route {
  return {
    path: "/api/sign-out",
    originRule: "own",
    async handle(req, res) {
      if (req.method !== "POST") throw routeNotFoundError();
      const fetchHeaders = Object.entries({
        origin: req.headers.origin,
        "sec-fetch-site": req.headers["sec-fetch-site"],
      });
      assertSameOrigin(
        new Headers(fetchHeaders.filter((pair): pair is [string, string] => typeof pair[1] === "string")),
        base,
      );
      const setCookies = [await sessions.end(req.headers.cookie)];
      res.writeHead(204, { "set-cookie": setCookies, "cache-control": "no-store" }).end();
    },
  };
}
