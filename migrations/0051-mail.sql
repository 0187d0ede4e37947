-- How users want to be mailed about notifications of a type in a studio, where that is not the default.
CREATE TABLE mail_choices (
  user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  studio_id TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  type      TEXT NOT NULL CHECK (type IN ('approval', 'failure', 'account', 'comment', 'review', 'mention', 'client')),
  frequency TEXT NOT NULL CHECK (frequency IN ('never', 'at_once', 'daily')),
  PRIMARY KEY (studio_id, user_id, type)
);

CREATE INDEX mail_choices_by_user ON mail_choices (user_id);

-- Mails that wait, and those of the last 30 days. Their content is read when they are sent.
CREATE TABLE mails (
  id              TEXT PRIMARY KEY,
  kind            TEXT NOT NULL CHECK (kind IN ('notification', 'summary', 'invitation', 'test')),
  studio_id       TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  -- The recipient; null for an invitation.
  user_id         TEXT REFERENCES users (id) ON DELETE CASCADE,
  notification_id TEXT UNIQUE,
  -- The summary that these notifications belong to.
  summary_at      BIGINT,
  -- The token of an invitation, until it is sent. Sealed.
  sealed_token    TEXT,
  state           TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed', 'dropped')),
  attempts        INTEGER NOT NULL CHECK (attempts >= 0),
  next_attempt_at BIGINT,
  last_attempt_at BIGINT,
  last_error      TEXT,
  UNIQUE (user_id, studio_id, summary_at),
  CHECK ((state = 'waiting') = (next_attempt_at IS NOT NULL)),
  CHECK ((kind = 'invitation') = (user_id IS NULL)),
  CHECK ((kind = 'notification') = (notification_id IS NOT NULL)),
  CHECK ((kind = 'summary') = (summary_at IS NOT NULL))
);

CREATE INDEX mails_due ON mails (next_attempt_at, id) WHERE state = 'waiting';
CREATE INDEX mails_by_studio ON mails (studio_id, id);
CREATE INDEX mails_tests ON mails (user_id, id) WHERE kind = 'test';

-- One row: the mail server. It has none until the first attempt.
CREATE TABLE mail_servers (
  name          TEXT PRIMARY KEY CHECK (name = 'default'),
  -- Until then, no other process sends: one is sending, or the server needs a pause.
  locked_until  BIGINT NOT NULL,
  -- The first of the failures since the last success.
  failing_since BIGINT,
  last_error    TEXT
);

-- The daily summary that mentions the notification.
ALTER TABLE notifications ADD COLUMN summary_at BIGINT;

CREATE INDEX notifications_by_summary ON notifications (user_id, studio_id, summary_at) WHERE summary_at IS NOT NULL;
