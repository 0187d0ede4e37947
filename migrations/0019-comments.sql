-- Comments on posts, in threads of one level, and what is needed to undo those of an AI client.

CREATE TABLE comments (
  id           TEXT PRIMARY KEY,
  studio_id    TEXT NOT NULL,
  post_id      TEXT NOT NULL,
  -- The comment that started the thread; null for that comment.
  parent_id    TEXT,
  body         TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  user_id      TEXT REFERENCES users (id) ON DELETE SET NULL,
  -- The AI client; null for the web app.
  grant_id     TEXT REFERENCES grants (id) ON DELETE SET NULL,
  client_id    TEXT,
  client_name  TEXT,
  -- Of the thread, so only for the comment that started it.
  resolved_at  BIGINT,
  resolved_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
  -- Set by an undo, which can itself be undone, or by the author, which also clears the body.
  removed_at   BIGINT,
  -- Orders the changes of a comment; see comment_changes.
  change_count INTEGER NOT NULL DEFAULT 0,
  -- Ids sort by time, so this is the index for lists.
  UNIQUE (post_id, id),
  FOREIGN KEY (studio_id, post_id) REFERENCES posts (studio_id, id) ON DELETE CASCADE,
  FOREIGN KEY (post_id, parent_id) REFERENCES comments (post_id, id) ON DELETE CASCADE,
  CHECK (parent_id IS NULL OR (resolved_at IS NULL AND resolved_by IS NULL)),
  CHECK (body <> '' OR removed_at IS NOT NULL)
);

CREATE INDEX comments_by_thread ON comments (post_id, parent_id, removed_at);
CREATE INDEX comments_removed ON comments (removed_at) WHERE removed_at IS NOT NULL;

-- Comments that AI clients added, and that an undo removed or restored. Kept as long as they can be undone.
CREATE TABLE comment_changes (
  comment_id  TEXT NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
  change      INTEGER NOT NULL,
  -- Whether the comment was removed after the change. Every change toggles it.
  removed     INTEGER NOT NULL CHECK (removed IN (0, 1)),
  studio_id   TEXT NOT NULL,
  at          BIGINT NOT NULL,
  user_id     TEXT REFERENCES users (id) ON DELETE SET NULL,
  grant_id    TEXT,
  client_id   TEXT,
  client_name TEXT,
  undo_id     TEXT,
  PRIMARY KEY (comment_id, change)
);

CREATE INDEX comment_changes_by_client ON comment_changes (studio_id, client_id, user_id, at) WHERE client_id IS NOT NULL;
CREATE INDEX comment_changes_by_undo ON comment_changes (undo_id) WHERE undo_id IS NOT NULL;
CREATE INDEX comment_changes_by_age ON comment_changes (at);
