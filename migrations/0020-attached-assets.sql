-- The library's filter for files that are on a post. The filter for unused files has its indexes since 0011.
CREATE INDEX assets_attached ON assets (studio_id, id) WHERE post_id IS NOT NULL AND trashed_at IS NULL;
CREATE INDEX assets_attached_by_kind ON assets (studio_id, kind, id) WHERE post_id IS NOT NULL AND trashed_at IS NULL;
