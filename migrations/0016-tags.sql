-- Tags of posts and assets, and the state of the search index.

-- JSON arrays of strings.
ALTER TABLE posts ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE assets ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

ALTER TABLE post_revisions ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE post_revisions ADD COLUMN tags_changed INTEGER NOT NULL DEFAULT 0 CHECK (tags_changed IN (0, 1));

-- Filename, alt text and tags, folded for search.
ALTER TABLE assets ADD COLUMN search_text TEXT NOT NULL DEFAULT '';

-- Whether the search text and the tokens of the row are current. A background job indexes the other rows.
ALTER TABLE posts ADD COLUMN search_indexed INTEGER NOT NULL DEFAULT 0 CHECK (search_indexed IN (0, 1));
ALTER TABLE assets ADD COLUMN search_indexed INTEGER NOT NULL DEFAULT 0 CHECK (search_indexed IN (0, 1));
CREATE INDEX posts_unindexed ON posts (studio_id, id) WHERE search_indexed = 0;
CREATE INDEX assets_unindexed ON assets (studio_id, id) WHERE search_indexed = 0;

-- The same table, which now allows changes of tags: SQLite can't alter a CHECK.
CREATE TABLE asset_field_changes (
  asset_id    TEXT NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
  change      INTEGER NOT NULL,
  field       TEXT NOT NULL CHECK (field IN ('altText', 'filename', 'tags', 'postId', 'trashed')),
  before      TEXT,
  after       TEXT,
  studio_id   TEXT NOT NULL,
  at          BIGINT NOT NULL,
  user_id     TEXT REFERENCES users (id) ON DELETE SET NULL,
  grant_id    TEXT,
  client_id   TEXT,
  client_name TEXT,
  undo_id     TEXT,
  PRIMARY KEY (asset_id, change, field)
);
INSERT INTO asset_field_changes (asset_id, change, field, before, after, studio_id, at, user_id, grant_id, client_id, client_name, undo_id)
SELECT asset_id, change, field, before, after, studio_id, at, user_id, grant_id, client_id, client_name, undo_id FROM asset_changes;
DROP TABLE asset_changes;
ALTER TABLE asset_field_changes RENAME TO asset_changes;
CREATE INDEX asset_changes_by_client ON asset_changes (studio_id, client_id, user_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX asset_changes_by_undo ON asset_changes (undo_id) WHERE undo_id IS NOT NULL;
CREATE INDEX asset_changes_by_age ON asset_changes (at);
