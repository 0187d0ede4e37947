-- Accounts of a studio on social platforms. Credentials are here encrypted, each bound to its row and studio.
CREATE TABLE platform_connections (
  id              TEXT PRIMARY KEY,
  studio_id       TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  platform        TEXT NOT NULL,
  -- The origin of the instance; empty where the platform has only one.
  instance        TEXT NOT NULL,
  account_id      TEXT NOT NULL,
  handle          TEXT,
  name            TEXT,
  picture_url     TEXT,
  profile_url     TEXT,
  state           TEXT NOT NULL CHECK (state IN ('connected', 'needs_reconnect', 'disconnected')),
  -- There while connected, and wiped with the first moment it is not.
  credential      TEXT,
  -- Rises with every change of the credential: whoever renews one replaces exactly the one it read.
  generation      INTEGER NOT NULL CHECK (generation >= 1),
  expires_at      BIGINT,
  -- When to renew it ahead of its end; null where it has none.
  renew_at        BIGINT,
  -- One renewal at a time: until then it is someone's.
  renewing_until  BIGINT NOT NULL DEFAULT 0,
  connected_by    TEXT REFERENCES users (id) ON DELETE SET NULL,
  connected_at    BIGINT NOT NULL,
  UNIQUE (studio_id, platform, instance, account_id),
  CHECK ((state = 'connected') = (credential IS NOT NULL)),
  CHECK (state = 'connected' OR (expires_at IS NULL AND renew_at IS NULL))
);

CREATE INDEX platform_connections_live ON platform_connections (studio_id, id) WHERE state = 'connected';
CREATE INDEX platform_connections_due ON platform_connections (renew_at) WHERE renew_at IS NOT NULL;

-- Pages on which a person connects an account: 15 minutes, one use. The token is here as a digest only.
CREATE TABLE platform_connects (
  token_hash     TEXT PRIMARY KEY,
  studio_id      TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  user_id        TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  platform       TEXT NOT NULL,
  instance       TEXT NOT NULL,
  -- The approval of the AI client that asked: revoked, the page is dead.
  grant_id       TEXT REFERENCES grants (id) ON DELETE CASCADE,
  client_id      TEXT,
  client_name    TEXT,
  expires_at     BIGINT NOT NULL,
  -- Of the state that went to the platform with the last attempt.
  state_hash     TEXT UNIQUE,
  used_at        BIGINT
);

CREATE INDEX platform_connects_by_expiry ON platform_connects (expires_at);

-- Ourselves as an application at an instance, registered there by ourselves. Encrypted like the rest.
CREATE TABLE platform_apps (
  platform     TEXT NOT NULL,
  instance     TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  credential   TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  PRIMARY KEY (platform, instance)
);
