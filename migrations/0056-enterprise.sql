-- The company's issuer whose assertions gave access (ID-JAG); null if the user approved the client.
ALTER TABLE grants ADD COLUMN issuer TEXT;
-- A person revoked access that assertions gave: they give none again until the user allows it.
ALTER TABLE grants ADD COLUMN is_blocked INTEGER NOT NULL DEFAULT 0 CHECK (is_blocked IN (0, 1));

-- The assertions for a user and client share one grant.
CREATE UNIQUE INDEX IF NOT EXISTS grants_by_assertion ON grants (user_id, client_id, issuer)
  WHERE issuer IS NOT NULL AND revoked_at IS NULL;

-- Identities at companies' issuers where users do not sign in.
CREATE TABLE linked_identities (
  issuer    TEXT NOT NULL,
  subject   TEXT NOT NULL,
  user_id   TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email     TEXT NOT NULL,
  linked_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject)
);

CREATE UNIQUE INDEX IF NOT EXISTS linked_identities_by_user ON linked_identities (user_id, issuer);
