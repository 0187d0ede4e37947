-- Publications: one post, one account, one time. A row is also the worker's job.

-- Whose publications need an approval: those that AI clients request (`clients`), or those of everyone except owners and
-- admins (`everyone`).
ALTER TABLE studios ADD COLUMN approval TEXT NOT NULL DEFAULT 'clients' CHECK (approval IN ('clients', 'everyone'));

-- The text for one account instead of the body: a JSON array of { connectionId, body }, sorted by connectionId.
ALTER TABLE posts ADD COLUMN variants TEXT NOT NULL DEFAULT '[]';
ALTER TABLE post_revisions ADD COLUMN variants TEXT NOT NULL DEFAULT '[]';
ALTER TABLE post_revisions ADD COLUMN variants_changed INTEGER NOT NULL DEFAULT 0 CHECK (variants_changed IN (0, 1));

CREATE TABLE publications (
  id                    TEXT PRIMARY KEY,
  studio_id             TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  post_id               TEXT NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
  connection_id         TEXT NOT NULL REFERENCES platform_connections (id) ON DELETE CASCADE,
  state                 TEXT NOT NULL CHECK (state IN (
                          'proposed', 'scheduled', 'preparing', 'committing', 'published', 'failed', 'unconfirmed',
                          'missed', 'canceled')),
  scheduled_for         BIGINT,
  -- Whether the platform shows the post's title.
  includes_title        INTEGER NOT NULL CHECK (includes_title IN (0, 1)),
  -- What was requested or approved: the post's revision, and a digest of what the account receives.
  revision              INTEGER NOT NULL,
  digest                TEXT NOT NULL,
  -- The revision and the time that were approved last, also after the approval became void.
  approved_revision     INTEGER,
  approved_for          BIGINT,
  requested_by          TEXT REFERENCES users (id) ON DELETE SET NULL,
  requested_grant_id    TEXT REFERENCES grants (id) ON DELETE SET NULL,
  requested_client_id   TEXT,
  requested_client_name TEXT,
  approved_by           TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at            BIGINT NOT NULL,
  published_at          BIGINT,
  url                   TEXT,
  remote_id             TEXT,
  problem_code          TEXT,
  problem_message       TEXT,

  -- When it is due: `scheduled_for`, or the time of the request or approval if that is later or no time was set. Null
  -- unless scheduled or running.
  due_at                BIGINT,
  -- When a worker may take it next; later than due_at after a failed attempt.
  next_run_at           BIGINT,
  -- When a worker first took it. Retries end an hour later.
  started_at            BIGINT,
  attempts              INTEGER NOT NULL DEFAULT 0,
  -- The worker that has the row repeats this number with every write. Each claim increments it.
  fence                 INTEGER NOT NULL DEFAULT 0,
  lease_expires_at      BIGINT,
  -- What is sent, fixed when the run starts, and the platform's ids of what was uploaded so far. JSON.
  content               TEXT,
  progress              TEXT,
  -- The idempotency key of the request that makes the post public.
  commit_key            TEXT,
  -- When that request was first sent.
  committed_at          BIGINT,

  CHECK ((state IN ('scheduled', 'preparing', 'committing')) = (due_at IS NOT NULL)),
  CHECK ((state IN ('preparing', 'committing')) = (lease_expires_at IS NOT NULL)),
  CHECK (state <> 'committing' OR (content IS NOT NULL AND commit_key IS NOT NULL AND committed_at IS NOT NULL)),
  CHECK ((state = 'published') = (published_at IS NOT NULL))
);

-- At most one open publication of a post per account.
CREATE UNIQUE INDEX publications_open ON publications (post_id, connection_id)
  WHERE state IN ('proposed', 'scheduled', 'preparing', 'committing', 'unconfirmed');
-- Publications of one account run one after another.
CREATE UNIQUE INDEX publications_running ON publications (connection_id) WHERE state IN ('preparing', 'committing');
-- A post at a platform belongs to one publication of an account.
CREATE UNIQUE INDEX publications_by_remote_id ON publications (connection_id, remote_id) WHERE remote_id IS NOT NULL;
CREATE INDEX publications_due ON publications (next_run_at) WHERE state = 'scheduled';
CREATE INDEX publications_leased ON publications (lease_expires_at) WHERE state IN ('preparing', 'committing');
CREATE INDEX publications_by_studio ON publications (studio_id, id);
CREATE INDEX publications_by_post ON publications (post_id, id);
CREATE INDEX publications_by_state ON publications (studio_id, state, id);

-- The timeline of a publication.
CREATE INDEX activity_by_subject ON activity (subject_id, id);

-- What the sandbox platform published, and the failures that it simulates for its next requests.
CREATE TABLE sandbox_posts (
  id              TEXT PRIMARY KEY,
  account         TEXT NOT NULL,
  text            TEXT NOT NULL,
  -- JSON array of { mimeType, bytes, altText }.
  media           TEXT NOT NULL,
  idempotency_key TEXT,
  created_at      BIGINT NOT NULL
);

CREATE UNIQUE INDEX sandbox_posts_by_key ON sandbox_posts (account, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

CREATE TABLE sandbox_media (
  id         TEXT PRIMARY KEY,
  account    TEXT NOT NULL,
  mime_type  TEXT NOT NULL,
  bytes      BIGINT NOT NULL,
  alt_text   TEXT,
  created_at BIGINT NOT NULL
);

CREATE TABLE sandbox_faults (
  name      TEXT PRIMARY KEY CHECK (name IN ('dropResponses', 'rejectNext', 'unavailableNext')),
  remaining INTEGER NOT NULL CHECK (remaining >= 0)
);
