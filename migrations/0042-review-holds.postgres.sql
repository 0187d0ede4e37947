-- While a review holds a post, none of its publications is scheduled, whichever statement writes them. Both sides lock the
-- post, so that neither misses what the other has not committed.
CREATE FUNCTION reject_held_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM posts WHERE id = NEW.post_id FOR SHARE;
  IF EXISTS (
    SELECT 1 FROM review_posts WHERE post_id = NEW.post_id AND is_holding = 1 AND (decision IS NULL OR decision <> 'approved' OR is_outdated = 1))
  THEN RAISE EXCEPTION 'the post waits for a review' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION reject_hold_of_scheduled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM posts WHERE id = NEW.post_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT 1 FROM publications WHERE post_id = NEW.post_id AND state = 'scheduled')
  THEN RAISE EXCEPTION 'a held post has a scheduled publication' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER publication_scheduled_while_held BEFORE INSERT OR UPDATE OF state ON publications FOR EACH ROW
  WHEN (NEW.state = 'scheduled') EXECUTE FUNCTION reject_held_publication();
CREATE TRIGGER review_held_while_scheduled BEFORE INSERT OR UPDATE ON review_posts FOR EACH ROW
  WHEN (NEW.is_holding = 1 AND (NEW.decision IS NULL OR NEW.decision <> 'approved' OR NEW.is_outdated = 1))
  EXECUTE FUNCTION reject_hold_of_scheduled();
