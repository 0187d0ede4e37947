import type { AiClient } from "../api/queries.ts";

/** Completes "It can …". */
export function formatScopes(scopes: AiClient["scopes"]): string {
  if (scopes.includes("studio:publish")) return "view, edit and publish without asking";
  return scopes.includes("studio:write") ? "view and edit" : "only view";
}
