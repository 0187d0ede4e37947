-- A studio's activity by person, client or action, newest first, without reading past the others.
CREATE INDEX activity_by_user ON activity (studio_id, user_id, id);
CREATE INDEX activity_by_client ON activity (studio_id, client_id, id);
CREATE INDEX activity_by_action ON activity (studio_id, action, id);
