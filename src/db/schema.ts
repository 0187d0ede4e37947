import type { Generated } from "kysely";
import type { AssetStatus } from "#domain/assets/model/asset.ts";
import type { AssetKind } from "#domain/assets/model/kinds.ts";
import type { AssetField } from "#domain/history/ports.ts";
import type { ConnectionState } from "#domain/platforms/connection.ts";
import type { PostStatus } from "#domain/posts/post.ts";
import type { PublicationState } from "#domain/publishing/states.ts";
import type { ApprovalRule, Role } from "#domain/policy.ts";

interface TrashColumns {
  trashed_at: number | null;
  trash_expires_at: number | null;
  trashed_by: string | null;
  trashed_client_name: string | null;
}

/** Who made a change, when, and through which AI client. */
interface AuthorColumns {
  at: number;
  user_id: string | null;
  grant_id: string | null;
  client_id: string | null;
  client_name: string | null;
  undo_id: string | null;
}

/** The tables after all migrations. */
export interface Schema {
  studios: {
    id: string;
    name: string;
    slug: string;
    timezone: string;
    owner_count: number;
    created_at: number;
    used_bytes: Generated<number>;
    approval: Generated<ApprovalRule>;
  };
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
  posts: {
    id: string;
    studio_id: string;
    title: string;
    body: string;
    status: PostStatus;
    revision: number;
    search_text: string;
    created_by: string;
    created_at: number;
    updated_at: number;
    asset_count: Generated<number>;
    last_position: Generated<number>;
    created_client_name: string | null;
    ready_revision: number | null;
    assets_revision: Generated<number>;
    variants: Generated<string>;
  } & TrashColumns;
  assets: {
    id: string;
    studio_id: string;
    post_id: string | null;
    position: number | null;
    kind: AssetKind;
    mime_type: string;
    filename: string;
    status: AssetStatus;
    bytes: number | null;
    version: string | null;
    sha256: string | null;
    storage_key: string | null;
    source_version: string | null;
    charged_bytes: number;
    alt_text: string | null;
    width: number | null;
    height: number | null;
    duration_ms: number | null;
    upload_expires_at: number | null;
    created_by: string;
    created_at: number;
    created_client_name: string | null;
    change_count: number;
  } & TrashColumns;
  post_revisions: {
    post_id: string;
    revision: number;
    studio_id: string;
    title: string;
    body: string;
    status: PostStatus;
    trashed: number;
    assets_revision: number;
    title_changed: number;
    body_changed: number;
    status_changed: number;
    assets_changed: number;
    trashed_changed: number;
    variants: string;
    variants_changed: number;
    autosave_start: number | null;
  } & AuthorColumns;
  post_revision_assets: {
    post_id: string;
    revision: number;
    position: number;
    asset_id: string;
    kind: AssetKind;
    mime_type: string;
    filename: string;
    alt_text: string | null;
  };
  asset_changes: {
    asset_id: string;
    change: number;
    field: AssetField;
    before: string | null;
    after: string | null;
    studio_id: string;
  } & AuthorColumns;
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
    approved_revision: number | null;
    approved_for: number | null;
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
    due_at: number | null;
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
  upload_links: {
    id: string;
    studio_id: string;
    post_id: string;
    created_by: string;
    grant_id: string | null;
    client_id: string | null;
    client_name: string | null;
    in_place: number;
    created_at: number;
    expires_at: number;
    withdrawn_at: number | null;
  };
  upload_files: {
    asset_id: string;
    link_id: string;
    file_hash: string;
    bytes: number;
    part_bytes: number;
    received_bytes: Generated<number>;
    part_at: Generated<number>;
    counted_at: Generated<number>;
  };
  stray_files: { key: string; due_at: number; doomed: number };
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
  };
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
  sessions: { token_hash: string; user_id: string; created_at: number; expires_at: number };
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
