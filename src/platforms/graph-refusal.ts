import type { JsonObject } from "./platform.ts";
import { objectIn } from "./read-json.ts";

/** Meta's Graph API says by a number that a token has expired, was revoked, or is otherwise invalid. */
export function graphRefusal(answer: JsonObject): "invalid_grant" | undefined {
  return objectIn(answer["error"])["code"] === 190 ? "invalid_grant" : undefined;
}
