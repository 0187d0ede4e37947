-- The digest of what was approved, while the publication waits for another approval because an edit voided that one; null
-- otherwise. The store resets it with every other change of the state.
ALTER TABLE publications ADD COLUMN voided_digest TEXT;
