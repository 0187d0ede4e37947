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

-- A change by a version of the server that does not know the index; this version marks the row as indexed again.
CREATE FUNCTION mark_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_indexed := 0;
  RETURN NEW;
END $$;
CREATE TRIGGER post_text_changed BEFORE UPDATE OF title, body, tags ON posts FOR EACH ROW
  WHEN (NEW.title <> OLD.title OR NEW.body <> OLD.body OR NEW.tags <> OLD.tags)
  EXECUTE FUNCTION mark_unindexed();
CREATE TRIGGER asset_text_changed BEFORE UPDATE OF filename, alt_text, tags ON assets FOR EACH ROW
  WHEN (NEW.filename <> OLD.filename OR NEW.alt_text IS DISTINCT FROM OLD.alt_text OR NEW.tags <> OLD.tags)
  EXECUTE FUNCTION mark_unindexed();
