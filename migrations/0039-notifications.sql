-- Messages to users about events. Rows of a studio that the user has left stay invisible until they expire.
CREATE TABLE notifications (
  id             TEXT PRIMARY KEY,
  user_id        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  studio_id      TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  -- The event. Without a foreign key, so that the purge of activity deletes few rows at a time.
  activity_id    TEXT NOT NULL,
  type           TEXT NOT NULL CHECK (type IN (
                   'approval', 'failure', 'account', 'comment', 'review', 'mention', 'client')),
  post_id        TEXT,
  publication_id TEXT,
  -- The names and texts of its sentence, as they were. JSON.
  parts          TEXT NOT NULL,
  at             BIGINT NOT NULL,
  read_at        BIGINT,
  UNIQUE (activity_id, user_id)
);

CREATE INDEX notifications_by_user ON notifications (user_id, id);
CREATE INDEX notifications_by_inbox ON notifications (user_id, studio_id, id);
CREATE INDEX notifications_unread ON notifications (user_id, studio_id, at) WHERE read_at IS NULL;
CREATE INDEX notifications_by_studio ON notifications (studio_id, id);
CREATE INDEX notifications_by_age ON notifications (at);
