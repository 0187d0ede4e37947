import { scopes } from "#domain/caller.ts";

/** RFC 9728: who protects `{base}/mcp`, and what can be asked of it. `offline_access` is the server's own matter. */
export function buildProtectedResourceMetadata(base: string): Record<string, unknown> {
  return {
    resource: `${base}/mcp`,
    authorization_servers: [base],
    scopes_supported: [...scopes],
    bearer_methods_supported: ["header"],
    resource_name: "Atelier",
  };
}
