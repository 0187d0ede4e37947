import type { Context } from "hono";
import { minutes } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";

/** The ETag ignores these fields, because every response signs their URLs again. */
const signedUrlFields = new Set(["url", "thumbnailUrl"]);
/** The ETag changes this often, so that clients get new URLs before theirs expire. */
const urlRefreshMs = minutes(20);

/** Responds 304 if the client has the current version (RFC 9110 §13.1.2): open pages read again what may have changed. */
export function jsonWithEtag<T extends object>(c: Context, value: T, now = Date.now()) {
  const comparableJson = JSON.stringify(value, (key, member: unknown) =>
    signedUrlFields.has(key) ? undefined : member,
  );
  const etag = `"${sha256(`${Math.floor(now / urlRefreshMs)} ${comparableJson}`)}"`;
  c.header("etag", etag);
  const respond = () => c.json(value);
  if (c.req.header("if-none-match") !== etag) return respond();
  // Typed as the full response: after a 304, the web app's client uses its cached copy.
  return c.body(null, 304) as unknown as ReturnType<typeof respond>;
}

/** Responds 204 after the work. */
export async function noContent(c: Context, work: Promise<unknown>) {
  await work;
  return c.body(null, 204);
}
