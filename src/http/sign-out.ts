import type { Sessions } from "#auth/sessions.ts";
import { assertSameOrigin } from "./guards.ts";
import type { Route } from "./server.ts";
import { routeNotFoundError } from "./problem.ts";

/** Ends the web session, on the server too. AI clients keep what they were given. */
export function createSignOutRoute({ base, sessions }: { base: string; sessions: Sessions }): Route {
  return {
    path: "/api/sign-out",
    origin: "own",
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
