-- Secret URLs with which a calendar application reads a studio's plan: one per user and studio. They end with the
-- membership. Tokens are stored hashed.
CREATE TABLE calendar_feeds (
  studio_id  TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (studio_id, user_id),
  FOREIGN KEY (studio_id, user_id) REFERENCES memberships (studio_id, user_id) ON DELETE CASCADE
);

CREATE INDEX calendar_feeds_by_user ON calendar_feeds (user_id);

-- How often the state or the time of a publication changed. Calendar applications compare it (SEQUENCE, RFC 5545).
ALTER TABLE publications ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS publications_canceled_in_calendar ON publications (studio_id, scheduled_for, id)
  WHERE state = 'canceled' AND scheduled_for IS NOT NULL;
