-- How much of a file has arrived, so that a link holds no more of the quota than it may, and nothing while it is idle.
ALTER TABLE upload_files ADD COLUMN received_bytes BIGINT NOT NULL DEFAULT 0 CHECK (received_bytes >= 0);
-- When a part was last seen to have arrived, or bytes were reserved.
ALTER TABLE upload_files ADD COLUMN part_at BIGINT NOT NULL DEFAULT 0;
-- When the parts were last counted.
ALTER TABLE upload_files ADD COLUMN counted_at BIGINT NOT NULL DEFAULT 0;
