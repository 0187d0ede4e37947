import { findIdKind } from "#lib/ids.ts";
import type { Route } from "./server.ts";

const redacted = "[redacted]";
const maxLength = 200;
/** A word such as `posts`, `robots.txt` or `oidc-2`, or a number. Tokens are longer, or have more digits or capitals. */
const wordPattern = /^(\.?[a-z][a-z._-]{0,38}\d?|\d{1,9})$/;

/**
 * What the log shows of a path: the part that its route declares to be free of tokens. Below a prefix, only words, numbers
 * and ids are shown, because a client may spell the path of another route oddly, such as `//u/…`. The query is never
 * shown.
 */
export function toLoggedPath(
  url: string,
  route: Pick<Route, "path" | "logsRest"> | undefined,
  isStaticFile = false,
): string {
  const path = url.split("?", 1)[0] ?? "";
  if (path === route?.path || isStaticFile) return path;
  if (route && !route.logsRest) return route.path.replace(/\*$/, redacted);
  const loggedPath = path
    .split("/")
    .map((segment) => (isLoggable(segment) ? segment : redacted))
    .join("/");
  return loggedPath.length > maxLength ? `${loggedPath.slice(0, maxLength)}…` : loggedPath;
}

const isLoggable = (segment: string): boolean =>
  segment === "" || wordPattern.test(segment) || findIdKind(segment) !== undefined;
