-- The search index on PostgreSQL. In tables of their own, because GIN rewrites all tokens of a row with every update.

CREATE TABLE post_search (
  post_id TEXT PRIMARY KEY REFERENCES posts (id) ON DELETE CASCADE,
  tokens  INTEGER[] NOT NULL
);
CREATE TABLE asset_search (
  asset_id TEXT PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
  tokens   INTEGER[] NOT NULL
);

-- Without statistics the planner assumes that tokens are rare, and never reads the whole table instead of the index.
ALTER TABLE post_search ALTER COLUMN tokens SET STATISTICS 0;
ALTER TABLE asset_search ALTER COLUMN tokens SET STATISTICS 0;

-- Every search reads the list of pending entries, so it must stay short.
CREATE INDEX post_search_tokens ON post_search USING gin (tokens) WITH (gin_pending_list_limit = 256);
CREATE INDEX asset_search_tokens ON asset_search USING gin (tokens) WITH (gin_pending_list_limit = 256);
