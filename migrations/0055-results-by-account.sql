-- The published posts of an account, newest first, to compare their results.
CREATE INDEX IF NOT EXISTS publications_published_by_account ON publications (connection_id, published_at, id)
  WHERE state = 'published';
