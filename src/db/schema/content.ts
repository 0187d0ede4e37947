import type { Generated } from "kysely";
import type { AssetStatus } from "#domain/assets/model/asset.ts";
import type { AssetKind } from "#domain/assets/model/kinds.ts";
import type { AssetField } from "#domain/history/ports.ts";
import type { PostStatus } from "#domain/posts/post.ts";
import type { ImageProblem } from "#domain/renditions/ports.ts";

interface SearchColumns {
  /** A JSON array. */
  tags: Generated<string>;
  search_text: string;
  /** 0 if the search text and the tokens are missing or outdated, otherwise 1. */
  search_indexed: Generated<number>;
}

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

/** Posts, assets, their history, comments and uploads. */
export interface ContentTables {
  posts: {
    id: string;
    studio_id: string;
    title: string;
    body: string;
    status: PostStatus;
    revision: number;
    created_by: string;
    created_at: number;
    updated_at: number;
    asset_count: Generated<number>;
    last_position: Generated<number>;
    created_client_name: string | null;
    ready_revision: number | null;
    assets_revision: Generated<number>;
    variants: Generated<string>;
    /** `Crop[]` as JSON. */
    crops: Generated<string>;
  } & SearchColumns &
    TrashColumns;
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
    for_library: number;
  } & SearchColumns &
    TrashColumns;
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
    crops: Generated<string>;
    tags: string;
    tags_changed: number;
    autosave_start: number | null;
    restored_revision: number | null;
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
    /** The number of the change, counted per asset. */
    change: number;
    field: AssetField;
    before: string | null;
    after: string | null;
    studio_id: string;
  } & AuthorColumns;
  comments: {
    id: string;
    studio_id: string;
    post_id: string;
    parent_id: string | null;
    body: string;
    created_at: number;
    user_id: string | null;
    grant_id: string | null;
    client_id: string | null;
    client_name: string | null;
    resolved_at: Generated<number | null>;
    resolved_by: Generated<string | null>;
    removed_at: Generated<number | null>;
    change_count: number;
  };
  comment_changes: {
    comment_id: string;
    /** The number of the change, counted per comment. */
    change: number;
    removed: number;
    studio_id: string;
  } & AuthorColumns;
  upload_links: {
    id: string;
    studio_id: string;
    post_id: string | null;
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
    /** When a part last arrived or bytes were reserved. */
    part_at: Generated<number>;
    /** When the arrived parts were last counted. */
    counted_at: Generated<number>;
  };
  image_inspections: {
    asset_id: string;
    problem: ImageProblem | null;
    width: number | null;
    height: number | null;
    frames: number | null;
    has_alpha: number | null;
    has_metadata: number | null;
    /** `canStripMetadata` of `ImageTraits`. */
    is_standard: number | null;
    /** The keys of the image's preview files as JSON, oldest first. */
    previews: Generated<string>;
  };
  shared_files: { storage_key: string; studio_id: string; asset_count: number };
  stray_files: { key: string; due_at: number; doomed: number };
}
