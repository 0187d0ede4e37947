-- For lists and counts of open invitations and upload links, so that neither reads those that have ended.
CREATE INDEX IF NOT EXISTS invitations_open ON invitations (studio_id, expires_at)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX IF NOT EXISTS upload_links_open ON upload_links (post_id, expires_at) WHERE withdrawn_at IS NULL;
