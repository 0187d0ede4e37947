-- Links with which someone without an account sees how posts will look on each account, and decides about them. A link
-- carries its own signed token, which is not stored.
CREATE TABLE review_links (
  id               TEXT PRIMARY KEY,
  studio_id        TEXT NOT NULL REFERENCES studios (id) ON DELETE CASCADE,
  created_by       TEXT NOT NULL REFERENCES users (id),
  grant_id         TEXT REFERENCES grants (id),
  client_id        TEXT,
  client_name      TEXT,
  message          TEXT,
  -- Whether publishing waits for this review. It does until the link is withdrawn; see review_posts.is_holding.
  holds_publishing INTEGER NOT NULL CHECK (holds_publishing IN (0, 1)),
  created_at       BIGINT NOT NULL,
  expires_at       BIGINT NOT NULL,
  withdrawn_at     BIGINT,
  first_viewed_at  BIGINT,
  last_viewed_at   BIGINT,
  view_count       INTEGER NOT NULL DEFAULT 0,
  comment_count    INTEGER NOT NULL DEFAULT 0,
  -- Only people hold publishing.
  CHECK (holds_publishing = 0 OR grant_id IS NULL)
);

CREATE INDEX review_links_by_studio ON review_links (studio_id, id);

-- The posts of a link, each with the latest decision through the link.
CREATE TABLE review_posts (
  link_id          TEXT NOT NULL REFERENCES review_links (id) ON DELETE CASCADE,
  post_id          TEXT NOT NULL,
  studio_id        TEXT NOT NULL,
  position         INTEGER NOT NULL,
  -- 1 until a link that holds publishing is withdrawn.
  is_holding       INTEGER NOT NULL CHECK (is_holding IN (0, 1)),
  decision         TEXT CHECK (decision IN ('approved', 'changes_requested')),
  -- As the guest typed it: not verified.
  guest_name       TEXT,
  decision_comment TEXT,
  decided_at       BIGINT,
  -- What the decision covers: a JSON array of { connectionId, includesTitle, digest }, and the post's revision at the time.
  accounts         TEXT,
  revision         INTEGER,
  -- Whether one of these digests differs from the current one. Every edit of the post compares them.
  is_outdated      INTEGER NOT NULL DEFAULT 0 CHECK (is_outdated IN (0, 1)),
  decision_count   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (link_id, post_id),
  FOREIGN KEY (studio_id, post_id) REFERENCES posts (studio_id, id) ON DELETE CASCADE,
  CHECK (decision IS NOT NULL OR is_outdated = 0),
  CHECK ((decision IS NULL) = (guest_name IS NULL)),
  CHECK ((decision IS NULL) = (decided_at IS NULL)),
  CHECK ((decision IS NULL) = (accounts IS NULL)),
  CHECK ((decision IS NULL) = (revision IS NULL))
);

CREATE INDEX review_posts_by_post ON review_posts (post_id, link_id);

-- Who sees a comment besides the team. A comment through a review link is shown to the guests of that link only.
ALTER TABLE comments ADD COLUMN visibility TEXT NOT NULL DEFAULT 'team' CHECK (visibility IN ('team', 'guests'));
ALTER TABLE comments ADD COLUMN review_link_id TEXT REFERENCES review_links (id) ON DELETE CASCADE
  CHECK (review_link_id IS NULL OR (visibility = 'guests' AND user_id IS NULL));
-- As the guest typed it: not verified.
ALTER TABLE comments ADD COLUMN guest_name TEXT CHECK ((guest_name IS NULL) = (review_link_id IS NULL));

CREATE INDEX IF NOT EXISTS comments_for_guests ON comments (post_id, id) WHERE visibility = 'guests';
CREATE INDEX IF NOT EXISTS comments_by_guests ON comments (post_id, removed_at) WHERE review_link_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS comments_by_review_link ON comments (review_link_id) WHERE review_link_id IS NOT NULL;
