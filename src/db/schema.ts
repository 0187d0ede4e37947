import type { Generated } from "kysely";
import type { ApprovalRule, Role } from "#domain/policy.ts";
import type { AccessTables } from "./schema/access.ts";
import type { ContentTables } from "./schema/content.ts";
import type { PublishingTables } from "./schema/publishing.ts";

/** The tables after all migrations. */
export interface Schema extends AccessTables, ContentTables, PublishingTables {
  studios: {
    id: string;
    name: string;
    slug: string;
    timezone: string;
    owner_count: number;
    created_at: number;
    used_bytes: Generated<number>;
    approval: Generated<ApprovalRule>;
    deleted_at: number | null;
  };
  memberships: { studio_id: string; user_id: string; role: Role; joined_at: number };
  invitations: {
    id: string;
    studio_id: string;
    role: Role;
    email: string | null;
    token_hash: string;
    created_by: string;
    created_at: number;
    expires_at: number;
    accepted_by: string | null;
    accepted_at: number | null;
    revoked_at: number | null;
  };
  activity: {
    id: string;
    studio_id: string;
    user_id: string | null;
    client_id: string | null;
    client_name: string | null;
    action: string;
    subject_id: string | null;
    detail: string;
    at: number;
  };
  rate_limits: { key: string; window_end: number; hits: number };
  leases: { name: string; holder: string; expires_at: number };
  idempotency_keys: {
    studio_id: string;
    user_id: string;
    verb: string;
    key: string;
    input_hash: string;
    result: string;
    created_at: number;
  };
}
