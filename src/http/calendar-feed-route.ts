import { readCalendarFeed } from "#domain/publishing/calendar-feeds.ts";
import { sha256 } from "#lib/digest.ts";
import { notFoundError } from "#lib/errors.ts";
import type { PageContext } from "./pages/page-handler.ts";
import { routeNotFoundError } from "./problem.ts";
import type { Route } from "./server.ts";

const pathPrefix = "/calendar/";
const fileNamePattern = /^([\w-]{20,100})\.ics$/;

/** `{base}/calendar/<token>.ics`: the calendar feed of a user and studio, for calendar applications. */
export function createCalendarFeedRoute({ deps, limitRate }: Pick<PageContext, "deps" | "limitRate">): Route {
  return {
    path: `${pathPrefix}*`,
    originRule: "any", // the token in the URL is the only credential
    async handle(req, res) {
      if (req.method !== "GET" && req.method !== "HEAD") throw routeNotFoundError();
      const [path = ""] = (req.url ?? "").split("?", 1);
      const token = fileNamePattern.exec(path.slice(pathPrefix.length))?.[1];
      const text = token === undefined ? undefined : await readCalendarFeed(deps, token);
      if (text === undefined) {
        await limitRate("calendarFeed", req);
        throw notFoundError("calendar_feed");
      }
      const etag = `"${sha256(text)}"`;
      const headers = {
        etag,
        "cache-control": "private, no-cache",
        "content-security-policy": "sandbox; default-src 'none'",
        "referrer-policy": "no-referrer",
      };
      const isUnchanged = req.headers["if-none-match"]
        ?.split(/\s*,\s*/)
        .some((tag) => tag.replace(/^W\//, "") === etag);
      if (isUnchanged) return void res.writeHead(304, headers).end();
      const type = "text/calendar; charset=utf-8";
      res.writeHead(200, { ...headers, "content-type": type, "content-length": Buffer.byteLength(text) });
      res.end(req.method === "HEAD" ? undefined : text);
    },
  };
}
