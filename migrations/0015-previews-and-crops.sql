-- The stored previews of an image: a JSON array of keys, the oldest first.
ALTER TABLE image_inspections ADD COLUMN previews TEXT NOT NULL DEFAULT '[]';

-- The crops of the post at this revision, as in posts.
ALTER TABLE post_revisions ADD COLUMN crops TEXT NOT NULL DEFAULT '[]';
