import type { AiClient } from "../api/queries.ts";

/** Completes "It can …". */
export function formatScopes(scopes: AiClient["scopes"]): string {
  if (!scopes.includes("studio:write")) return "view only";
  return scopes.includes("studio:publish") ? "view, edit and publish without asking" : "view and edit";
}
