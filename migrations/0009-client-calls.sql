-- How often each approval was used, by day (days since 1970, UTC). Kept for a month.
CREATE TABLE grant_calls (
  grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
  day      INTEGER NOT NULL,
  calls    INTEGER NOT NULL CHECK (calls > 0),
  PRIMARY KEY (grant_id, day)
);

CREATE INDEX grant_calls_by_day ON grant_calls (day);
