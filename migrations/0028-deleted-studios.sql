-- When the studio was deleted; null for all others. From then on it is invisible: it has no members, invitations or
-- credentials. A background job deletes its rows in short transactions, and this row last.
ALTER TABLE studios ADD COLUMN deleted_at BIGINT;

CREATE INDEX studios_deleted ON studios (deleted_at) WHERE deleted_at IS NOT NULL;
