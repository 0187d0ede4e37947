-- When the studio was deleted; null for all others. From then on it is invisible: it has no members, invitations or
-- credentials. A background job deletes its rows in short transactions, and this row last.
ALTER TABLE studios ADD COLUMN deleted_at BIGINT;

CREATE INDEX studios_deleted ON studios (deleted_at) WHERE deleted_at IS NOT NULL;

-- Deleting a studio's row looks for the rows that refer to it.
CREATE INDEX users_by_active_studio ON users (active_studio_id);
CREATE INDEX grants_by_studio ON grants (studio_id);
CREATE INDEX upload_links_by_studio ON upload_links (studio_id);
CREATE INDEX platform_connects_by_studio ON platform_connects (studio_id);
