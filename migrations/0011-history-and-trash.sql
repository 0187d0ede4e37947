-- History of posts, the trash, and what is needed to undo an AI client's changes.

-- The AI client that created the row; null if a user created it in the web app.
ALTER TABLE posts ADD COLUMN created_client_name TEXT;
ALTER TABLE assets ADD COLUMN created_client_name TEXT;

-- The revision at which a ready post was marked ready; null otherwise.
ALTER TABLE posts ADD COLUMN ready_revision INTEGER;
-- The revision whose rows in post_revision_assets list the current assets.
ALTER TABLE posts ADD COLUMN assets_revision INTEGER NOT NULL DEFAULT 1;

-- The trash. An expired row is gone for users; the sweeper deletes it. Assets on a trashed post are trashed with it.
ALTER TABLE posts ADD COLUMN trashed_at BIGINT;
ALTER TABLE posts ADD COLUMN trash_expires_at BIGINT;
ALTER TABLE posts ADD COLUMN trashed_by TEXT REFERENCES users (id) ON DELETE SET NULL;
ALTER TABLE posts ADD COLUMN trashed_client_name TEXT;
ALTER TABLE assets ADD COLUMN trashed_at BIGINT;
ALTER TABLE assets ADD COLUMN trash_expires_at BIGINT;
ALTER TABLE assets ADD COLUMN trashed_by TEXT REFERENCES users (id) ON DELETE SET NULL;
ALTER TABLE assets ADD COLUMN trashed_client_name TEXT;
-- Orders the changes of an asset; see asset_changes.
ALTER TABLE assets ADD COLUMN change_count INTEGER NOT NULL DEFAULT 0;

-- Lists skip the trash without reading it.
DROP INDEX posts_by_status;
CREATE INDEX posts_listed ON posts (studio_id, id) WHERE trashed_at IS NULL;
CREATE INDEX posts_by_status ON posts (studio_id, status, id) WHERE trashed_at IS NULL;
CREATE INDEX posts_trashed ON posts (studio_id, trashed_at, id) WHERE trashed_at IS NOT NULL;
CREATE INDEX posts_trash_expiry ON posts (trash_expires_at) WHERE trashed_at IS NOT NULL;
DROP INDEX assets_by_kind;
DROP INDEX assets_unattached;
DROP INDEX assets_unattached_by_kind;
CREATE INDEX assets_listed ON assets (studio_id, id) WHERE trashed_at IS NULL;
CREATE INDEX assets_by_kind ON assets (studio_id, kind, id) WHERE trashed_at IS NULL;
CREATE INDEX assets_unattached ON assets (studio_id, id) WHERE post_id IS NULL AND trashed_at IS NULL;
CREATE INDEX assets_unattached_by_kind ON assets (studio_id, kind, id) WHERE post_id IS NULL AND trashed_at IS NULL;
CREATE INDEX assets_trashed ON assets (studio_id, trashed_at, id) WHERE trashed_at IS NOT NULL AND post_id IS NULL;
CREATE INDEX assets_trash_expiry ON assets (trash_expires_at) WHERE trashed_at IS NOT NULL AND post_id IS NULL;

-- A post after each change, written in the transaction of the change.
CREATE TABLE post_revisions (
  post_id         TEXT NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
  revision        INTEGER NOT NULL CHECK (revision >= 1),
  studio_id       TEXT NOT NULL,
  at              BIGINT NOT NULL,
  -- Null: unknown, for changes before this table existed.
  user_id         TEXT REFERENCES users (id) ON DELETE SET NULL,
  -- The AI client; null for the web app.
  grant_id        TEXT,
  client_id       TEXT,
  client_name     TEXT,
  -- The activity row of the undo that made this change.
  undo_id         TEXT,
  title           TEXT NOT NULL,
  body            TEXT NOT NULL,
  status          TEXT NOT NULL CHECK (status IN ('draft', 'ready', 'archived')),
  trashed         INTEGER NOT NULL CHECK (trashed IN (0, 1)),
  assets_revision INTEGER NOT NULL,
  -- Which fields differ from the revision before.
  title_changed   INTEGER NOT NULL CHECK (title_changed IN (0, 1)),
  body_changed    INTEGER NOT NULL CHECK (body_changed IN (0, 1)),
  status_changed  INTEGER NOT NULL CHECK (status_changed IN (0, 1)),
  assets_changed  INTEGER NOT NULL CHECK (assets_changed IN (0, 1)),
  trashed_changed INTEGER NOT NULL CHECK (trashed_changed IN (0, 1)),
  -- When the first of the autosaves collapsed into this row was made; null if it is not an autosave.
  autosave_start  BIGINT,
  PRIMARY KEY (post_id, revision)
);

CREATE INDEX post_revisions_by_client ON post_revisions (studio_id, client_id, user_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX post_revisions_by_undo ON post_revisions (undo_id) WHERE undo_id IS NOT NULL;

-- The assets of a post in order, stored once for each change of the list. Assets may have been deleted since.
CREATE TABLE post_revision_assets (
  post_id   TEXT NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
  revision  INTEGER NOT NULL,
  position  BIGINT NOT NULL,
  asset_id  TEXT NOT NULL,
  kind      TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  filename  TEXT NOT NULL,
  alt_text  TEXT,
  PRIMARY KEY (post_id, revision, position)
);

-- Changes of an asset: altText, filename, postId and trashed (0 or 1). Kept as long as they can be undone.
CREATE TABLE asset_changes (
  asset_id    TEXT NOT NULL REFERENCES assets (id) ON DELETE CASCADE,
  change      INTEGER NOT NULL,
  field       TEXT NOT NULL CHECK (field IN ('altText', 'filename', 'postId', 'trashed')),
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

CREATE INDEX asset_changes_by_client ON asset_changes (studio_id, client_id, user_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX asset_changes_by_undo ON asset_changes (undo_id) WHERE undo_id IS NOT NULL;
CREATE INDEX asset_changes_by_age ON asset_changes (at);

-- Attribute existing posts and assets to the AI client that created them. People upload files through links.
UPDATE posts SET created_client_name = a.client_name FROM activity AS a
 WHERE a.subject_id = posts.id AND a.studio_id = posts.studio_id AND a.action = 'post.created'
   AND a.client_name IS NOT NULL;
UPDATE assets SET created_client_name = a.client_name FROM activity AS a
 WHERE a.subject_id = assets.id AND a.studio_id = assets.studio_id
   AND a.action IN ('asset.requested', 'asset.uploaded', 'asset.imported') AND a.client_name IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM upload_files f WHERE f.asset_id = assets.id);

-- The first snapshot of existing posts.
UPDATE posts SET assets_revision = revision, ready_revision = CASE WHEN status = 'ready' THEN revision END;
INSERT INTO post_revision_assets (post_id, revision, position, asset_id, kind, mime_type, filename, alt_text)
SELECT p.id, p.revision, a.position, a.id, a.kind, a.mime_type, a.filename, a.alt_text
  FROM posts p JOIN assets a ON a.post_id = p.id WHERE a.status = 'ready';
INSERT INTO post_revisions (post_id, revision, studio_id, at, user_id, title, body, status, trashed, assets_revision,
                            title_changed, body_changed, status_changed, assets_changed, trashed_changed)
SELECT id, revision, studio_id, updated_at, CASE WHEN revision = 1 THEN created_by END, title, body, status, 0, revision,
       0, 0, 0, 0, 0
  FROM posts;
