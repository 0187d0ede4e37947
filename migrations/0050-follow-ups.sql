-- Follow-ups: texts that are published as replies to the part before. They are in the variants of posts.

-- How many parts of the publication are public, if it has follow-ups; the next one is sent next.
ALTER TABLE publications ADD COLUMN public_parts INTEGER NOT NULL DEFAULT 0 CHECK (public_parts BETWEEN 0 AND 25);

-- The public parts of publications with follow-ups. Part 0 is the post itself.
CREATE TABLE publication_parts (
  publication_id TEXT NOT NULL REFERENCES publications (id) ON DELETE CASCADE,
  part           INTEGER NOT NULL CHECK (part BETWEEN 0 AND 24),
  connection_id  TEXT NOT NULL REFERENCES platform_connections (id) ON DELETE CASCADE,
  -- Null if a person said that the part is public.
  remote_id      TEXT,
  url            TEXT,
  published_at   BIGINT NOT NULL,
  PRIMARY KEY (publication_id, part)
);

-- A post at a platform is one part of one publication of an account.
CREATE UNIQUE INDEX publication_parts_by_remote_id ON publication_parts (connection_id, remote_id)
  WHERE remote_id IS NOT NULL;

-- The post that a post of the sandbox replies to.
ALTER TABLE sandbox_posts ADD COLUMN reply_to TEXT;
