import type { Sessions } from "#auth/sessions.ts";
import { requireOwnPage } from "./guards.ts";
import type { Route } from "./server.ts";
import { nothingHere } from "./problem.ts";

/** Ends the web session, on the server too. AI clients keep what they were given. */
export function signOutRoute({ base, sessions }: { base: string; sessions: Sessions }): Route {
  return {
    path: "/api/sign-out",
    origin: "own",
    async handle(req, res) {
      if (req.method !== "POST") throw nothingHere();
      const told = Object.entries({ origin: req.headers.origin, "sec-fetch-site": req.headers["sec-fetch-site"] });
      requireOwnPage(new Headers(told.filter((pair): pair is [string, string] => typeof pair[1] === "string")), base);
      const cookies = [await sessions.end(req.headers.cookie)];
      res.writeHead(204, { "set-cookie": cookies, "cache-control": "no-store" }).end();
    },
  };
}
