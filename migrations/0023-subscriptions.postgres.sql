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

-- Notifications for the instances with open event streams. Triggers cover every writer, including operator commands and
-- instances of an older version, and add no round trip to a change. SQLite has no notifications; its instances poll.
CREATE FUNCTION notify_post_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'post:' || NEW.id);
  RETURN NULL;
END $$;
CREATE FUNCTION notify_publication_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'post:' || NEW.post_id);
  RETURN NULL;
END $$;
CREATE FUNCTION notify_access_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'user:' || OLD.user_id);
  RETURN NULL;
END $$;
CREATE FUNCTION notify_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'user:' || OLD.id);
  RETURN NULL;
END $$;

CREATE TRIGGER post_changed AFTER UPDATE OF revision ON posts FOR EACH ROW
  WHEN (NEW.revision <> OLD.revision) EXECUTE FUNCTION notify_post_changed();
CREATE TRIGGER publication_added AFTER INSERT ON publications FOR EACH ROW
  EXECUTE FUNCTION notify_publication_changed();
CREATE TRIGGER publication_changed
  AFTER UPDATE OF state, scheduled_for, revision, approved_by, url, problem_code ON publications FOR EACH ROW
  WHEN ((NEW.state, NEW.scheduled_for, NEW.revision, NEW.approved_by, NEW.url, NEW.problem_code)
    IS DISTINCT FROM (OLD.state, OLD.scheduled_for, OLD.revision, OLD.approved_by, OLD.url, OLD.problem_code))
  EXECUTE FUNCTION notify_publication_changed();
CREATE TRIGGER membership_ended AFTER DELETE ON memberships FOR EACH ROW EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER grant_changed AFTER UPDATE OF revoked_at, studio_id ON grants FOR EACH ROW
  EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER user_disabled AFTER UPDATE OF disabled_at ON users FOR EACH ROW EXECUTE FUNCTION notify_user_changed();
