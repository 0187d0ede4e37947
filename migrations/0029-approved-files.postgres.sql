-- The stored files that an approval covers: the keys of the files without a SHA-256 digest that the account receives, in
-- order, separated by spaces. Null: there are none, or a process of the previous version wrote the row. `digest` has only
-- the ETags of such files, and a client can make a second file with the same ETag.
ALTER TABLE publications ADD COLUMN file_keys TEXT;

-- The digest of a publication that can still be published is that of the post's current content, or empty.
UPDATE publications SET file_keys = approved.file_keys
FROM (
  SELECT u.id, string_agg(a.storage_key, ' ' ORDER BY a.position) AS file_keys
  FROM publications u
  JOIN posts p ON p.id = u.post_id
  JOIN assets a ON a.post_id = u.post_id AND a.status = 'ready' AND a.sha256 IS NULL
  WHERE u.state IN ('proposed', 'scheduled', 'preparing', 'committing', 'unconfirmed', 'missed')
    -- The account receives all files of the post, or those that its variant names.
    AND NOT EXISTS (
      SELECT 1 FROM jsonb_array_elements(p.variants::jsonb) v
      WHERE v.value ->> 'connectionId' = u.connection_id AND v.value ? 'assetIds' AND NOT v.value -> 'assetIds' ? a.id
    )
  GROUP BY u.id
) AS approved
WHERE publications.id = approved.id;
