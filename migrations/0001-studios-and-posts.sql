-- Portable: TEXT ids and JSON, BIGINT epoch milliseconds, INTEGER 0/1. Both engines run this file as it is.

CREATE TABLE studios (
  id          TEXT PRIMARY KEY,
  name        TEXT NOT NULL,
  slug        TEXT NOT NULL UNIQUE,
  timezone    TEXT NOT NULL,
  -- Kept by the same statement that changes a role: the database itself refuses to lose the last owner.
  owner_count INTEGER NOT NULL CHECK (owner_count >= 1),
  created_at  BIGINT NOT NULL
);

CREATE TABLE users (
  id               TEXT PRIMARY KEY,
  issuer           TEXT NOT NULL,
  subject          TEXT NOT NULL,
  name             TEXT NOT NULL,
  email            TEXT,
  email_verified   INTEGER NOT NULL CHECK (email_verified IN (0, 1)),
  active_studio_id TEXT REFERENCES studios (id) ON DELETE SET NULL,
  created_at       BIGINT NOT NULL,
  UNIQUE (issuer, subject)
);

CREATE TABLE memberships (
  studio_id TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role      TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  joined_at BIGINT NOT NULL,
  PRIMARY KEY (studio_id, user_id)
);

-- A user's first membership is found without a sort.
CREATE INDEX memberships_by_user ON memberships (user_id, joined_at, studio_id);

CREATE TABLE invitations (
  id          TEXT PRIMARY KEY,
  studio_id   TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  role        TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  email       TEXT,
  token_hash  TEXT NOT NULL UNIQUE,
  created_by  TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  accepted_by TEXT REFERENCES users (id) ON DELETE CASCADE,
  accepted_at BIGINT,
  revoked_at  BIGINT,
  CHECK ((accepted_by IS NULL) = (accepted_at IS NULL)),
  CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);

CREATE INDEX invitations_by_studio ON invitations (studio_id, id);

CREATE TABLE posts (
  id          TEXT PRIMARY KEY,
  studio_id   TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  title       TEXT NOT NULL,
  body        TEXT NOT NULL,
  status      TEXT NOT NULL CHECK (status IN ('draft', 'ready', 'archived')),
  revision    INTEGER NOT NULL CHECK (revision >= 1),
  -- Title and body folded for search, so that both engines find the same posts.
  search_text TEXT NOT NULL,
  created_by  TEXT NOT NULL REFERENCES users (id),
  created_at  BIGINT NOT NULL,
  updated_at  BIGINT NOT NULL
);

CREATE INDEX posts_by_studio ON posts (studio_id, id);
CREATE INDEX posts_by_status ON posts (studio_id, status, id);

CREATE TABLE activity (
  id          TEXT PRIMARY KEY,
  studio_id   TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  user_id     TEXT REFERENCES users (id) ON DELETE SET NULL,
  client_id   TEXT,
  client_name TEXT,
  action      TEXT NOT NULL,
  subject_id  TEXT,
  detail      TEXT NOT NULL,
  at          BIGINT NOT NULL
);

CREATE INDEX activity_by_studio ON activity (studio_id, id);
