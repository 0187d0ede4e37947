-- Further notifications for event streams (see 0023): changes of the files on a post, including uploads that start or
-- end, and of the accounts that a studio's posts are validated for.
CREATE FUNCTION notify_asset_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'post:' || COALESCE(NEW.post_id, OLD.post_id));
  RETURN NULL;
END $$;
CREATE FUNCTION notify_image_inspected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'post:' || post_id) FROM assets WHERE id = NEW.asset_id AND post_id IS NOT NULL;
  RETURN NULL;
END $$;
CREATE FUNCTION notify_connection_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'studio:' || NEW.studio_id);
  RETURN NULL;
END $$;

CREATE TRIGGER asset_added AFTER INSERT ON assets FOR EACH ROW
  WHEN (NEW.post_id IS NOT NULL) EXECUTE FUNCTION notify_asset_changed();
CREATE TRIGGER asset_removed AFTER DELETE ON assets FOR EACH ROW
  WHEN (OLD.post_id IS NOT NULL) EXECUTE FUNCTION notify_asset_changed();
CREATE TRIGGER asset_changed AFTER UPDATE OF post_id, position, status, change_count ON assets FOR EACH ROW
  WHEN (COALESCE(NEW.post_id, OLD.post_id) IS NOT NULL
    AND (NEW.post_id, NEW.position, NEW.status, NEW.change_count)
      IS DISTINCT FROM (OLD.post_id, OLD.position, OLD.status, OLD.change_count))
  EXECUTE FUNCTION notify_asset_changed();
CREATE TRIGGER image_inspected AFTER INSERT ON image_inspections FOR EACH ROW
  EXECUTE FUNCTION notify_image_inspected();
CREATE TRIGGER connection_changed AFTER UPDATE OF state, handle, name, limits ON platform_connections FOR EACH ROW
  WHEN ((NEW.state, NEW.handle, NEW.name, NEW.limits) IS DISTINCT FROM (OLD.state, OLD.handle, OLD.name, OLD.limits))
  EXECUTE FUNCTION notify_connection_changed();

-- Also announces the message of a problem.
DROP TRIGGER publication_changed ON publications;
CREATE TRIGGER publication_changed
  AFTER UPDATE OF state, scheduled_for, revision, approved_by, url, problem_code, problem_message ON publications
  FOR EACH ROW
  WHEN ((NEW.state, NEW.scheduled_for, NEW.revision, NEW.approved_by, NEW.url, NEW.problem_code, NEW.problem_message)
    IS DISTINCT FROM
    (OLD.state, OLD.scheduled_for, OLD.revision, OLD.approved_by, OLD.url, OLD.problem_code, OLD.problem_message))
  EXECUTE FUNCTION notify_publication_changed();
