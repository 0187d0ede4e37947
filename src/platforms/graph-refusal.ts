import type { JsonObject } from "./platform.ts";
import { toObject } from "./read-json.ts";

/** Meta's Graph API says by a number that a token has expired, was revoked, or is otherwise invalid. */
export function readGraphErrorCode(body: JsonObject): "invalid_grant" | undefined {
  return toObject(body["error"])["code"] === 190 ? "invalid_grant" : undefined;
}
