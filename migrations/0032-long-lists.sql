-- For lists of publications in the order of their planned time, and for the calendar, so that neither reads and sorts
-- all publications of a studio.
CREATE INDEX IF NOT EXISTS publications_planned_by_state
  ON publications (studio_id, state, (coalesce(scheduled_for, 0)), id, post_id);
CREATE INDEX IF NOT EXISTS publications_planned ON publications (studio_id, (coalesce(scheduled_for, 0)), id);
CREATE INDEX IF NOT EXISTS publications_in_calendar
  ON publications (studio_id, (coalesce(published_at, scheduled_for, created_at)), id) WHERE state <> 'canceled';
