-- A user whom the operator has shut out. Asked for with every token, session and link, so it lies in the user's own row.
ALTER TABLE users ADD COLUMN disabled_at BIGINT;
