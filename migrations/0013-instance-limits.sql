-- What an instance says about its own limits: JSON, null if it says nothing or has none.
ALTER TABLE platform_connections ADD COLUMN limits TEXT;

-- Publishing to Mastodon needs one more scope, to find out whether a post is public after a lost response. The apps
-- registered so far can't request it, and tokens issued to them don't have it.
UPDATE platform_connections
  SET state = 'needs_reconnect', credential = NULL, expires_at = NULL, renew_at = NULL, renewing_until = 0,
      generation = generation + 1
  WHERE platform = 'mastodon' AND state = 'connected';
DELETE FROM platform_apps WHERE platform = 'mastodon';
