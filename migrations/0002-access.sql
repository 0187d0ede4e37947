-- Sessions of people, approvals of clients, what the OAuth server keeps, and what all instances share.
-- Tokens, codes and cookies are here as SHA-256 digests only.

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Clients that registered themselves (RFC 7591). Their secret is kept as a digest.
CREATE TABLE oauth_clients (
  id         TEXT PRIMARY KEY,
  metadata   TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX oauth_clients_by_age ON oauth_clients (created_at);

-- One person's approval of one client: the record that everything a client holds hangs on.
CREATE TABLE grants (
  id              TEXT PRIMARY KEY,
  user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  client_id       TEXT NOT NULL,
  client_name     TEXT NOT NULL,
  client_verified INTEGER NOT NULL CHECK (client_verified IN (0, 1)),
  redirect_host   TEXT NOT NULL,
  scopes          TEXT NOT NULL,
  studio_id       TEXT REFERENCES studios (id) ON DELETE SET NULL,
  -- Rises with each rotation of the refresh token; see auth/refresh-rule.ts.
  generation      INTEGER NOT NULL CHECK (generation >= 0),
  rotated_at      BIGINT NOT NULL,
  granted_at      BIGINT NOT NULL,
  last_used_at    BIGINT,
  revoked_at      BIGINT
);

CREATE INDEX grants_by_user ON grants (user_id, id);
CREATE INDEX grants_by_client ON grants (client_id);

-- What the OAuth server stores: codes, tokens, pending authorizations.
CREATE TABLE oauth_records (
  model       TEXT NOT NULL,
  id_hash     TEXT NOT NULL,
  payload     TEXT NOT NULL,
  grant_id    TEXT REFERENCES grants (id) ON DELETE CASCADE,
  -- The resource a token is good for (RFC 8707).
  audience    TEXT,
  scope       TEXT,
  generation  INTEGER,
  expires_at  BIGINT NOT NULL,
  consumed_at BIGINT,
  PRIMARY KEY (model, id_hash)
);

CREATE INDEX oauth_records_by_grant ON oauth_records (grant_id);
CREATE INDEX oauth_records_by_expiry ON oauth_records (expires_at);

-- Counters that all instances share. One row a key and window.
CREATE TABLE rate_limits (
  key        TEXT NOT NULL,
  window_end BIGINT NOT NULL,
  hits       INTEGER NOT NULL,
  PRIMARY KEY (key, window_end)
);

CREATE INDEX rate_limits_by_end ON rate_limits (window_end);

-- Who of all instances does a job that only one may do.
CREATE TABLE leases (
  name       TEXT PRIMARY KEY,
  holder     TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
