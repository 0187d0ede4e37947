import type { Context } from "hono";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";

/** Addresses of files are signed anew for each answer: that alone is no news, until those in hand grow old. */
const signedUrlFields = new Set(["url", "thumbnailUrl"]);
const urlRefreshMs = minutes(20);

/** Answers 304 to whoever has this already (RFC 9110 §13.1.2): open pages ask every other second. */
export function jsonWithEtag<T extends object>(c: Context, value: T, now = Date.now()) {
  const comparableJson = JSON.stringify(value, (key, member: unknown) =>
    signedUrlFields.has(key) ? undefined : member,
  );
  const etag = `"${sha256(`${Math.floor(now / urlRefreshMs)} ${comparableJson}`)}"`;
  c.header("etag", etag);
  const respond = () => c.json(value);
  if (c.req.header("if-none-match") !== etag) return respond();
  // To the client's types this is the answer as well: it keeps the one it has.
  return c.body(null, 304) as unknown as ReturnType<typeof respond>;
}
