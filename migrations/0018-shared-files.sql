-- Copies of assets share the file of their original, and files can be uploaded to the library without a post.

-- How many assets use a file that was copied. A file without a row has one asset.
CREATE TABLE shared_files (
  storage_key TEXT PRIMARY KEY,
  studio_id   TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  asset_count INTEGER NOT NULL CHECK (asset_count >= 0)
);

CREATE INDEX shared_files_by_studio ON shared_files (studio_id);

-- No longer unique.
DROP INDEX assets_by_key;
CREATE INDEX assets_by_key ON assets (storage_key) WHERE storage_key IS NOT NULL;

-- A pending upload in parts that goes to the library instead of a post.
ALTER TABLE assets ADD COLUMN for_library INTEGER NOT NULL DEFAULT 0 CHECK (for_library IN (0, 1));

-- `post_id` becomes optional. Both tables are replaced, because SQLite can't change a column, and dropping only
-- upload_links would delete the rows of upload_files.
CREATE TABLE new_upload_links (
  id           TEXT PRIMARY KEY,
  studio_id    TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  -- Null: the library.
  post_id      TEXT,
  created_by   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  grant_id     TEXT REFERENCES grants (id) ON DELETE CASCADE,
  client_id    TEXT,
  client_name  TEXT,
  -- Created by the web app for its own uploads, and not listed as a link.
  in_place     INTEGER NOT NULL CHECK (in_place IN (0, 1)),
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL,
  withdrawn_at BIGINT,
  FOREIGN KEY (studio_id, post_id) REFERENCES posts (studio_id, id) ON DELETE CASCADE,
  CHECK (post_id IS NOT NULL OR in_place = 1)
);

CREATE TABLE new_upload_files (
  asset_id       TEXT PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
  link_id        TEXT NOT NULL REFERENCES new_upload_links (id) ON DELETE CASCADE,
  file_hash      TEXT NOT NULL,
  bytes          BIGINT NOT NULL CHECK (bytes > 0),
  part_bytes     BIGINT NOT NULL CHECK (part_bytes > 0),
  received_bytes BIGINT NOT NULL DEFAULT 0 CHECK (received_bytes >= 0),
  part_at        BIGINT NOT NULL DEFAULT 0,
  counted_at     BIGINT NOT NULL DEFAULT 0,
  UNIQUE (link_id, file_hash)
);

INSERT INTO new_upload_links
SELECT id, studio_id, post_id, created_by, grant_id, client_id, client_name, in_place, created_at, expires_at, withdrawn_at
  FROM upload_links;
INSERT INTO new_upload_files
SELECT asset_id, link_id, file_hash, bytes, part_bytes, received_bytes, part_at, counted_at FROM upload_files;
DROP TABLE upload_files;
DROP TABLE upload_links;
ALTER TABLE new_upload_links RENAME TO upload_links;
ALTER TABLE new_upload_files RENAME TO upload_files;
CREATE INDEX upload_links_by_post ON upload_links (post_id, id);
CREATE INDEX upload_links_by_expiry ON upload_links (expires_at);
