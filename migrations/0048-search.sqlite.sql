-- The searched text of a post includes the texts for accounts and the comments. These triggers mark what a version of
-- the server changes that does not know this; this version marks the row as indexed again.
DROP TRIGGER post_text_changed;
CREATE TRIGGER post_text_changed AFTER UPDATE OF title, body, tags, variants ON posts
WHEN new.title <> old.title OR new.body <> old.body OR new.tags <> old.tags OR new.variants <> old.variants BEGIN
  UPDATE posts SET search_indexed = 0 WHERE id = new.id;
END;
CREATE TRIGGER comment_added AFTER INSERT ON comments BEGIN
  UPDATE posts SET search_indexed = 0 WHERE id = new.post_id;
END;
CREATE TRIGGER comment_changed AFTER UPDATE OF removed_at ON comments
WHEN (new.removed_at IS NULL) <> (old.removed_at IS NULL) BEGIN
  UPDATE posts SET search_indexed = 0 WHERE id = new.post_id;
END;
CREATE TRIGGER comment_deleted AFTER DELETE ON comments WHEN old.removed_at IS NULL BEGIN
  UPDATE posts SET search_indexed = 0 WHERE id = old.post_id;
END;

-- The index has tokens of whole words: the background job indexes all rows again.
UPDATE posts SET search_indexed = 0 WHERE search_indexed = 1;
UPDATE assets SET search_indexed = 0 WHERE search_indexed = 1;
