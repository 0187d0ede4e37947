-- For claims, which compare the accounts that have due publications, and then read the first publication of one account.
-- The first index replaces `publications_due`: it also has the account.
CREATE INDEX IF NOT EXISTS publications_due_accounts ON publications (next_run_at, connection_id)
  WHERE state = 'scheduled';
DROP INDEX IF EXISTS publications_due;
CREATE INDEX IF NOT EXISTS publications_due_by_account ON publications (connection_id, next_run_at, id)
  WHERE state = 'scheduled';
