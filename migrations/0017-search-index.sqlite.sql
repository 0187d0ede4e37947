-- The search index on SQLite: FTS5 tables of tokens, without the text and without positions.

-- Rows of the FTS5 tables. Their numbers have the order of the ids, so that FTS5 lists the newest matches first.
CREATE TABLE post_search (
  row     INTEGER PRIMARY KEY,
  post_id TEXT NOT NULL UNIQUE REFERENCES posts (id) ON DELETE CASCADE
);
CREATE TABLE asset_search (
  row      INTEGER PRIMARY KEY,
  asset_id TEXT NOT NULL UNIQUE REFERENCES assets (id) ON DELETE CASCADE
);

CREATE VIRTUAL TABLE post_tokens USING fts5 (tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
CREATE VIRTUAL TABLE asset_tokens USING fts5 (tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');

CREATE TRIGGER post_search_deleted AFTER DELETE ON post_search BEGIN
  DELETE FROM post_tokens WHERE rowid = old.row;
END;
CREATE TRIGGER asset_search_deleted AFTER DELETE ON asset_search BEGIN
  DELETE FROM asset_tokens WHERE rowid = old.row;
END;

-- A change by a version of the server that does not know the index; this version marks the row as indexed again.
CREATE TRIGGER post_text_changed AFTER UPDATE OF title, body, tags ON posts
WHEN new.title <> old.title OR new.body <> old.body OR new.tags <> old.tags BEGIN
  UPDATE posts SET search_indexed = 0 WHERE id = new.id;
END;
CREATE TRIGGER asset_text_changed AFTER UPDATE OF filename, alt_text, tags ON assets
WHEN new.filename <> old.filename OR new.alt_text IS NOT old.alt_text OR new.tags <> old.tags BEGIN
  UPDATE assets SET search_indexed = 0 WHERE id = new.id;
END;
