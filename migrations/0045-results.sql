-- When the results of a published post are read next.
CREATE TABLE result_readings (
  publication_id TEXT PRIMARY KEY REFERENCES publications (id) ON DELETE CASCADE,
  connection_id  TEXT NOT NULL REFERENCES platform_connections (id) ON DELETE CASCADE,
  published_at   BIGINT NOT NULL,
  -- Null if none follows.
  due_at         BIGINT,
  -- When a user last asked for a reading.
  refreshed_at   BIGINT
);

CREATE INDEX result_readings_due ON result_readings (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX result_readings_by_account ON result_readings (connection_id, due_at);

-- What a platform said about a post. Never changed.
CREATE TABLE result_snapshots (
  publication_id TEXT NOT NULL REFERENCES publications (id) ON DELETE CASCADE,
  read_at        BIGINT NOT NULL,
  -- The age of the post, in hours, at which the reading was due; 0 if a user asked for it.
  due_age        INTEGER NOT NULL CHECK (due_age >= 0),
  -- The version of what the names of the metrics mean. Values of different versions can't be compared.
  definition     INTEGER NOT NULL,
  -- JSON object of { value, source, reason? } by name. `source` is the platform's name.
  metrics        TEXT NOT NULL,
  PRIMARY KEY (publication_id, read_at, due_age)
);

CREATE UNIQUE INDEX result_snapshots_by_age ON result_snapshots (publication_id, due_age) WHERE due_age > 0;

-- What the sandbox platform says about its posts; null if no test has set it.
ALTER TABLE sandbox_posts ADD COLUMN likes BIGINT;
ALTER TABLE sandbox_posts ADD COLUMN comments BIGINT;
ALTER TABLE sandbox_posts ADD COLUMN reposts BIGINT;
