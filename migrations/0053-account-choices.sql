-- What an account offers for options whose choices depend on it, such as boards: a JSON object by the name of the option.
ALTER TABLE platform_connections ADD COLUMN choices TEXT;
ALTER TABLE platform_connections ADD COLUMN choices_read_at BIGINT;
