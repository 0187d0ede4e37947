-- What an image is, found out by opening it once. `problem`: why it can't be converted; the other columns are then null.
CREATE TABLE image_inspections (
  asset_id     TEXT PRIMARY KEY REFERENCES assets (id) ON DELETE CASCADE,
  problem      TEXT CHECK (problem IN ('unreadable', 'too_many_pixels')),
  -- As displayed, like the columns of the asset.
  width        INTEGER,
  height       INTEGER,
  frames       INTEGER,
  has_alpha    INTEGER CHECK (has_alpha IN (0, 1)),
  has_metadata INTEGER CHECK (has_metadata IN (0, 1)),
  -- Whether it looks the same everywhere without its metadata.
  is_standard  INTEGER CHECK (is_standard IN (0, 1)),
  CHECK ((problem IS NULL) = (width IS NOT NULL AND height IS NOT NULL AND frames IS NOT NULL
    AND has_alpha IS NOT NULL AND has_metadata IS NOT NULL AND is_standard IS NOT NULL))
);

-- Which part of an image a platform receives: a JSON array of { assetId, platform, x, y }. Other images are padded.
ALTER TABLE posts ADD COLUMN crops TEXT NOT NULL DEFAULT '[]';
