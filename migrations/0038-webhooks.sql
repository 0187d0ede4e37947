CREATE TABLE webhooks (
  id              TEXT PRIMARY KEY,
  studio_id       TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  url             TEXT NOT NULL,
  -- JSON array of activity actions and of prefixes such as "post.*".
  events          TEXT NOT NULL,
  -- Sealed: the secrets that are valid, newest first.
  secrets         TEXT NOT NULL,
  created_at      BIGINT NOT NULL,
  -- When a delivery may be due; null if none is waiting.
  due_at          BIGINT,
  -- Until then, no other process sends: one is sending, or the endpoint needs a pause.
  locked_until    BIGINT NOT NULL DEFAULT 0,
  -- The first of the failures since the last success.
  failing_since   BIGINT,
  disabled_at     BIGINT,
  disabled_reason TEXT CHECK (disabled_reason IN ('failing', 'gone')),
  UNIQUE (studio_id, id),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);

CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL AND disabled_at IS NULL;

CREATE TABLE webhook_deliveries (
  id              TEXT PRIMARY KEY,
  studio_id       TEXT NOT NULL,
  webhook_id      TEXT NOT NULL,
  -- Null for a test event.
  activity_id     TEXT REFERENCES activity (id) ON DELETE CASCADE,
  type            TEXT NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts        INTEGER NOT NULL CHECK (attempts >= 0),
  next_attempt_at BIGINT,
  last_attempt_at BIGINT,
  last_status     INTEGER,
  last_error      TEXT,
  FOREIGN KEY (studio_id, webhook_id) REFERENCES webhooks (studio_id, id) ON DELETE CASCADE,
  UNIQUE (activity_id, webhook_id),
  CHECK ((state = 'waiting') = (next_attempt_at IS NOT NULL))
);

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_state ON webhook_deliveries (webhook_id, state, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, id) WHERE state = 'waiting';
