-- While a review holds a post, none of its publications is scheduled, whichever statement writes them.
CREATE TRIGGER publication_inserted_while_held BEFORE INSERT ON publications
WHEN NEW.state = 'scheduled' AND EXISTS (
  SELECT 1 FROM review_posts WHERE post_id = NEW.post_id AND is_holding = 1 AND (decision IS NULL OR decision <> 'approved' OR is_outdated = 1))
BEGIN
  SELECT RAISE(ABORT, 'the post waits for a review');
END;

CREATE TRIGGER publication_scheduled_while_held BEFORE UPDATE OF state ON publications
WHEN NEW.state = 'scheduled' AND EXISTS (
  SELECT 1 FROM review_posts WHERE post_id = NEW.post_id AND is_holding = 1 AND (decision IS NULL OR decision <> 'approved' OR is_outdated = 1))
BEGIN
  SELECT RAISE(ABORT, 'the post waits for a review');
END;

CREATE TRIGGER review_added_while_scheduled BEFORE INSERT ON review_posts
WHEN NEW.is_holding = 1 AND EXISTS (SELECT 1 FROM publications WHERE post_id = NEW.post_id AND state = 'scheduled')
BEGIN
  SELECT RAISE(ABORT, 'a held post has a scheduled publication');
END;

CREATE TRIGGER review_held_while_scheduled BEFORE UPDATE ON review_posts
WHEN NEW.is_holding = 1 AND (NEW.decision IS NULL OR NEW.decision <> 'approved' OR NEW.is_outdated = 1)
  AND EXISTS (SELECT 1 FROM publications WHERE post_id = NEW.post_id AND state = 'scheduled')
BEGIN
  SELECT RAISE(ABORT, 'a held post has a scheduled publication');
END;
