-- Links with which anyone who has one sends files to one post, and the files that are sent through them.
-- A link carries its own signed token; here is only what can be listed, withdrawn and looked up by it.
CREATE TABLE upload_links (
  id           TEXT PRIMARY KEY,
  studio_id    TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  post_id      TEXT NOT NULL,
  created_by   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- The approval of the AI client that made it: revoked, the link is dead.
  grant_id     TEXT REFERENCES grants (id) ON DELETE CASCADE,
  client_id    TEXT,
  client_name  TEXT,
  -- Made by the post's own page for itself, and shown to nobody as a link.
  in_place     INTEGER NOT NULL CHECK (in_place IN (0, 1)),
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL,
  withdrawn_at BIGINT,
  FOREIGN KEY (studio_id, post_id) REFERENCES posts (studio_id, id) ON DELETE CASCADE
);

CREATE INDEX upload_links_by_post ON upload_links (post_id, id);
CREATE INDEX upload_links_by_expiry ON upload_links (expires_at);

CREATE TABLE upload_files (
  asset_id   TEXT PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
  link_id    TEXT NOT NULL REFERENCES upload_links (id) ON DELETE CASCADE,
  -- Of name, size and time of change: the same file, chosen again, goes on where it was.
  file_hash  TEXT NOT NULL,
  bytes      BIGINT NOT NULL CHECK (bytes > 0),
  part_bytes BIGINT NOT NULL CHECK (part_bytes > 0),
  UNIQUE (link_id, file_hash)
);
