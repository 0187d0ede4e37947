import type { AiClient } from "../api/queries.ts";

/** What a client was given, in words. */
export function formatScopes(scopes: AiClient["scopes"]): string {
  return scopes.includes("studio:write") ? "view and edit" : "view only";
}
