-- Activity that webhooks and other readers of events have not been given yet. A reader that remembered the last id that
-- it read would miss activity: ids become visible out of order. The trigger covers every writer, including operator
-- commands and instances of an older version. Existing activity is not an event.
CREATE TABLE pending_events (
  activity_id TEXT PRIMARY KEY REFERENCES activity (id) ON DELETE CASCADE
);

CREATE FUNCTION add_pending_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO pending_events (activity_id) VALUES (NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER activity_pending AFTER INSERT ON activity FOR EACH ROW EXECUTE FUNCTION add_pending_event();
