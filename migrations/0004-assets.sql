-- Files of a studio. What an asset may be is said here, so that no code can make it otherwise.

-- Bytes of everything that is stored, and of what was promised a place: moved by the statement that adds or removes it.
ALTER TABLE studios ADD COLUMN used_bytes BIGINT NOT NULL DEFAULT 0 CHECK (used_bytes >= 0);

-- How many assets are on a post; raised only while below the ceiling, in one statement.
ALTER TABLE posts ADD COLUMN asset_count INTEGER NOT NULL DEFAULT 0 CHECK (asset_count >= 0);
-- The last place that was given out. Places are never given twice, so a new order needs no free place to move through.
ALTER TABLE posts ADD COLUMN last_position BIGINT NOT NULL DEFAULT 0;

-- Unique, so that an asset can point at a post of its own studio only.
DROP INDEX posts_by_studio;
CREATE UNIQUE INDEX posts_by_studio ON posts (studio_id, id);

CREATE TABLE assets (
  id                TEXT PRIMARY KEY,
  studio_id         TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  post_id           TEXT,
  position          BIGINT,
  kind              TEXT NOT NULL CHECK (kind IN ('image', 'video', 'document')),
  mime_type         TEXT NOT NULL,
  filename          TEXT NOT NULL,
  status            TEXT NOT NULL CHECK (status IN ('pending', 'ready')),
  -- Size and digests of the bytes: known when ready, and never changed from then on.
  bytes             BIGINT CHECK (bytes > 0),
  version           TEXT,
  sha256            TEXT,
  -- Where the bytes lie, once ready. While pending: where the upload that `source_version` names is being moved to.
  storage_key       TEXT,
  source_version    TEXT,
  -- What the asset counts for in the studio's used bytes.
  charged_bytes     BIGINT NOT NULL DEFAULT 0 CHECK (charged_bytes >= 0),
  alt_text          TEXT,
  width             INTEGER,
  height            INTEGER,
  duration_ms       BIGINT,
  upload_expires_at BIGINT,
  created_by        TEXT NOT NULL REFERENCES users (id),
  created_at        BIGINT NOT NULL,
  FOREIGN KEY (studio_id, post_id) REFERENCES posts (studio_id, id),
  CHECK ((post_id IS NULL) = (position IS NULL)),
  CHECK (status = 'pending' OR (bytes IS NOT NULL AND version IS NOT NULL AND storage_key IS NOT NULL)),
  CHECK (status = 'pending' OR charged_bytes = bytes),
  CHECK (status = 'ready' OR upload_expires_at IS NOT NULL),
  CHECK ((storage_key IS NULL) = (source_version IS NULL AND version IS NULL))
);

-- The library, with each of its filters, newest first without a sort.
CREATE INDEX assets_by_studio ON assets (studio_id, id);
CREATE INDEX assets_by_kind ON assets (studio_id, kind, id);
CREATE INDEX assets_unattached ON assets (studio_id, id) WHERE post_id IS NULL;
CREATE INDEX assets_unattached_by_kind ON assets (studio_id, kind, id) WHERE post_id IS NULL;
-- A post's assets in order; no place twice.
CREATE UNIQUE INDEX assets_by_post ON assets (post_id, position) WHERE post_id IS NOT NULL;
CREATE INDEX assets_pending ON assets (upload_expires_at) WHERE status = 'pending';
-- No two assets share a file.
CREATE UNIQUE INDEX assets_by_key ON assets (storage_key) WHERE storage_key IS NOT NULL;

-- Keys whose bytes belong to no asset: written ahead of one, or left behind by one. They are removed when due, unless
-- an asset takes the key first; once doomed, none can.
CREATE TABLE stray_files (
  key    TEXT PRIMARY KEY,
  due_at BIGINT NOT NULL,
  doomed INTEGER NOT NULL CHECK (doomed IN (0, 1))
);

CREATE INDEX stray_files_by_due ON stray_files (due_at);
