-- Pages of the web app hear of activity, and their streams end with the session. SQLite's instances poll.
CREATE FUNCTION notify_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', 'activity:' || NEW.id || ':' || NEW.studio_id || ':' || NEW.action || ':' ||
    COALESCE(left(NEW.subject_id, 200), ''));
  RETURN NULL;
END $$;

CREATE TRIGGER activity_recorded AFTER INSERT ON activity FOR EACH ROW EXECUTE FUNCTION notify_activity();
CREATE TRIGGER session_ended AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_access_changed();
