-- For disconnecting an account, and for deleting a studio with its accounts: without the index, PostgreSQL reads the
-- publications of all studios for each account.
CREATE INDEX IF NOT EXISTS publications_by_connection ON publications (connection_id, state);
