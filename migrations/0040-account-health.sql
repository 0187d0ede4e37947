-- When the platform ends the access of a connection whose credential it does not renew. Set when that is near.
ALTER TABLE platform_connections ADD COLUMN access_ends_at BIGINT;
