-- For the number of a user's requests that were sent back, without reading what was canceled otherwise.
CREATE INDEX IF NOT EXISTS publications_sent_back ON publications (studio_id, requested_by, id)
  WHERE state = 'canceled' AND problem_code = 'sent_back';
