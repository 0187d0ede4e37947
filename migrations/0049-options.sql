-- Options are part of a post's variants. What the sandbox platform received: a JSON object.
ALTER TABLE sandbox_posts ADD COLUMN options TEXT NOT NULL DEFAULT '{"visibility":"public"}';
