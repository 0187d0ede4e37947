-- What a call with an idempotency key answered the first time. Rows are forgotten after a day.
CREATE TABLE idempotency_keys (
  studio_id  TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  verb       TEXT NOT NULL,
  key        TEXT NOT NULL,
  input_hash TEXT NOT NULL,
  -- JSON; empty only inside the transaction that makes the row.
  result     TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (studio_id, user_id, verb, key)
);
