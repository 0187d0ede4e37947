-- For the publications of one post: the newest one to each account, and those in some states without the canceled ones.
CREATE INDEX IF NOT EXISTS publications_by_account_of_post ON publications (post_id, connection_id, id);
CREATE INDEX IF NOT EXISTS publications_by_state_of_post ON publications (post_id, state, id) WHERE state <> 'canceled';
-- For the newest comments of a post, without reading those that an undo removed.
CREATE INDEX IF NOT EXISTS comments_not_removed ON comments (post_id, id) WHERE removed_at IS NULL;
