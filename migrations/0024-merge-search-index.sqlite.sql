-- Merging segments less often takes less CPU per saved post. Searches read a few more segments.
INSERT INTO post_tokens (post_tokens, rank) VALUES ('automerge', 8);
INSERT INTO asset_tokens (asset_tokens, rank) VALUES ('automerge', 8);
