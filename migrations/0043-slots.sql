-- Weekly posting times of accounts, in the time zone of their studio. A foreign key needs the index.
CREATE UNIQUE INDEX IF NOT EXISTS platform_connections_of_studio ON platform_connections (studio_id, id);

CREATE TABLE slots (
  studio_id     TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  connection_id TEXT NOT NULL,
  -- Monday is 1.
  weekday       INTEGER NOT NULL CHECK (weekday BETWEEN 1 AND 7),
  -- HH:MM.
  time          TEXT NOT NULL CHECK (length(time) = 5),
  PRIMARY KEY (studio_id, connection_id, weekday, time),
  FOREIGN KEY (studio_id, connection_id) REFERENCES platform_connections (studio_id, id) ON DELETE CASCADE
);

-- The slot that a publication was requested for. The index keeps parallel requests from taking the same one. Null once
-- the publication was moved to another time.
ALTER TABLE publications ADD COLUMN slot_at BIGINT;
CREATE UNIQUE INDEX IF NOT EXISTS publications_by_slot ON publications (connection_id, slot_at)
  WHERE slot_at IS NOT NULL AND state IN ('proposed', 'scheduled', 'preparing', 'committing', 'unconfirmed');
-- For the times of an account that are occupied.
CREATE INDEX IF NOT EXISTS publications_open_by_time ON publications (connection_id, scheduled_for)
  WHERE state IN ('proposed', 'scheduled', 'preparing', 'committing', 'unconfirmed');
