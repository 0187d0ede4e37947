import type { AiClient } from "../api/queries.ts";

/** Completes "It can …". */
export function formatScopes(scopes: AiClient["scopes"]): string {
  return scopes.includes("studio:write") ? "view and edit" : "only view";
}
