-- Lists of the web app: posts of one author, and the publications of a calendar.

CREATE INDEX posts_by_author ON posts (studio_id, created_by, status, id) WHERE trashed_at IS NULL;

CREATE INDEX publications_by_time ON publications (studio_id, coalesce(published_at, scheduled_for, created_at));
