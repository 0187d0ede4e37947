-- The revision whose content this one restored; null for every other change, and for restores before this migration.
ALTER TABLE post_revisions ADD COLUMN restored_revision INTEGER;
