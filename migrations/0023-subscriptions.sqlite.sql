-- The posts that sessions of the 2025 protocol versions are subscribed to. All instances share them, because each request
-- of a session may reach another instance.

CREATE TABLE mcp_sessions (
  -- SHA-256 digest of the session id.
  id_hash    TEXT PRIMARY KEY,
  grant_id   TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
  -- The newest event stream of the session. Only this one carries notifications.
  stream_id  TEXT,
  -- JSON object of post id and the version of the post when the client subscribed.
  posts      TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE INDEX mcp_sessions_by_grant ON mcp_sessions (grant_id, expires_at);
CREATE INDEX mcp_sessions_by_expiry ON mcp_sessions (expires_at);
