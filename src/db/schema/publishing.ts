import type { Generated } from "kysely";
import type { ConnectionState } from "#domain/platforms/connection.ts";
import type { PublicationState } from "#domain/publishing/states.ts";

/** Publications, platform connections and the sandbox platform. */
export interface PublishingTables {
  publications: {
    id: string;
    studio_id: string;
    post_id: string;
    connection_id: string;
    state: PublicationState;
    scheduled_for: number | null;
    includes_title: number;
    revision: number;
    digest: string;
    /** The keys in the digest, separated by spaces. Null: none, or a process of the previous version wrote the row. */
    file_keys: string | null;
    approved_revision: number | null;
    /** The `scheduled_for` that was approved. */
    approved_for: number | null;
    /** The approved digest, while the state is `proposed` because an edit voided the approval. */
    voided_digest: string | null;
    requested_by: string | null;
    requested_grant_id: string | null;
    requested_client_id: string | null;
    requested_client_name: string | null;
    approved_by: string | null;
    created_at: number;
    published_at: number | null;
    url: string | null;
    remote_id: string | null;
    problem_code: string | null;
    problem_message: string | null;
    /** When the first run is due: at `scheduled_for`, but not before it was scheduled, plus the approver’s delay. */
    due_at: number | null;
    /** When the next run is due: `due_at`, or a later time after a failed run. */
    next_run_at: number | null;
    started_at: number | null;
    attempts: Generated<number>;
    fence: Generated<number>;
    lease_expires_at: number | null;
    content: string | null;
    progress: string | null;
    commit_key: string | null;
    committed_at: number | null;
  };
  platform_connections: {
    id: string;
    studio_id: string;
    platform: string;
    instance: string;
    account_id: string;
    handle: string | null;
    name: string | null;
    picture_url: string | null;
    profile_url: string | null;
    state: ConnectionState;
    credential: string | null;
    generation: number;
    expires_at: number | null;
    renew_at: number | null;
    renewing_until: Generated<number>;
    connected_by: string | null;
    connected_at: number;
    limits: string | null;
  };
  /** Connect links. */
  platform_connects: {
    token_hash: string;
    studio_id: string;
    user_id: string;
    platform: string;
    instance: string;
    grant_id: string | null;
    client_id: string | null;
    client_name: string | null;
    expires_at: number;
    state_hash: string | null;
    state_expires_at: number | null;
    used_at: number | null;
  };
  platform_apps: { platform: string; instance: string; redirect_uri: string; credential: string; created_at: number };
  sandbox_posts: {
    id: string;
    account: string;
    text: string;
    media: string;
    idempotency_key: string | null;
    created_at: number;
  };
  sandbox_media: {
    id: string;
    account: string;
    mime_type: string;
    bytes: number;
    alt_text: string | null;
    created_at: number;
  };
  sandbox_faults: { name: string; remaining: number };
}
