-- The searched text of a post includes the texts for accounts and the comments. These triggers mark what a version of
-- the server changes that does not know this; this version marks the row as indexed again.
DROP TRIGGER post_text_changed ON posts;
CREATE TRIGGER post_text_changed BEFORE UPDATE OF title, body, tags, variants ON posts FOR EACH ROW
  WHEN (NEW.title <> OLD.title OR NEW.body <> OLD.body OR NEW.tags <> OLD.tags OR NEW.variants <> OLD.variants)
  EXECUTE FUNCTION mark_unindexed();
CREATE FUNCTION mark_post_unindexed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE posts SET search_indexed = 0 WHERE id = COALESCE(NEW.post_id, OLD.post_id);
  RETURN NULL;
END $$;
CREATE TRIGGER comment_added AFTER INSERT ON comments FOR EACH ROW EXECUTE FUNCTION mark_post_unindexed();
CREATE TRIGGER comment_changed AFTER UPDATE OF removed_at ON comments FOR EACH ROW
  WHEN ((NEW.removed_at IS NULL) <> (OLD.removed_at IS NULL)) EXECUTE FUNCTION mark_post_unindexed();
CREATE TRIGGER comment_deleted AFTER DELETE ON comments FOR EACH ROW
  WHEN (OLD.removed_at IS NULL) EXECUTE FUNCTION mark_post_unindexed();

-- The index has tokens of whole words: the background job indexes all rows again.
UPDATE posts SET search_indexed = 0 WHERE search_indexed = 1;
UPDATE assets SET search_indexed = 0 WHERE search_indexed = 1;
