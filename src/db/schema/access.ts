import type { Generated } from "kysely";

/** Users, their sessions, and the AI clients to which they gave access. */
export interface AccessTables {
  users: {
    id: string;
    issuer: string;
    subject: string;
    name: string;
    email: string | null;
    email_verified: number;
    active_studio_id: string | null;
    created_at: number;
    disabled_at: Generated<number | null>;
  };
  sessions: { token_hash: string; user_id: string; created_at: number; expires_at: number };
  mcp_sessions: { id_hash: string; grant_id: string; stream_id: string | null; posts: string; expires_at: number };
  oauth_clients: { id: string; metadata: string; created_at: number };
  grants: {
    id: string;
    user_id: string;
    client_id: string;
    client_name: string;
    client_verified: number;
    redirect_host: string;
    scopes: string;
    studio_id: string | null;
    generation: number;
    rotated_at: number;
    granted_at: number;
    last_used_at: number | null;
    revoked_at: number | null;
  };
  grant_calls: { grant_id: string; day: number; calls: number };
  oauth_records: {
    model: string;
    id_hash: string;
    payload: string;
    grant_id: string | null;
    audience: string | null;
    scope: string | null;
    generation: number | null;
    expires_at: number;
    consumed_at: number | null;
  };
}
