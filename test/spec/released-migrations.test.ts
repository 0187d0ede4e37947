import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

/**
 * The first 16 digits of each file's SHA-256 digest. A server does not start if a migration that its database has
 * applied was edited, even in a comment. Add a file here when it is released; never change an entry.
 */
const digests = {
  "0001-studios-and-posts.sql": "e8da5f4d603e3560",
  "0002-access.sql": "5e43df13d4808528",
  "0003-idempotency.sql": "be8ca015bcddcf94",
  "0004-assets.sql": "f8657e55868eef3a",
  "0005-activity-filters.sql": "3778cade9b1e728c",
  "0006-upload-links.sql": "cbfd8ff2812f3a14",
  "0007-platforms.sql": "f78ef6937cfa8ee8",
  "0008-disabled-users.sql": "9634d76715c79382",
  "0009-client-calls.sql": "4f579db9fc295d7f",
  "0010-upload-reservations.sql": "d2e67bc754eb589b",
  "0011-history-and-trash.sql": "172136eb6c369568",
  "0012-publishing.sql": "355629fde9945f7a",
  "0013-instance-limits.sql": "72ec6963cd387bac",
  "0014-renditions.sql": "77866dcd29264f9d",
  "0015-previews-and-crops.sql": "bbcc5d263c1f2ce6",
  "0016-tags.sql": "e9d89f5d09a7ea8d",
  "0017-search-index.postgres.sql": "c069780b3aeaa27a",
  "0017-search-index.sqlite.sql": "3426450cc9274ad3",
  "0018-shared-files.sql": "83ffbf6b77234789",
  "0019-comments.sql": "553cc6044cd5e129",
  "0020-attached-assets.sql": "1374411becf30954",
  "0021-reindex-search.sql": "ae90ba541103d1ca",
  "0022-post-summaries.sql": "a185b71e59d7f697",
  "0023-subscriptions.postgres.sql": "5fea595f837d8eea",
  "0023-subscriptions.sqlite.sql": "bf948b09f6c92dfd",
  "0024-merge-search-index.sqlite.sql": "24ea825164b03528",
  "0025-announce-assets.postgres.sql": "6af907a0b38250dc",
  "0026-restored-revision.sql": "d5a54c9362914986",
  "0027-publications-by-connection.sql": "d0379daf8378d6d4",
  "0028-deleted-studios.sql": "108d1723c9fde051",
};

test("released migrations are unchanged, including their comments (RUN-7)", () => {
  const folder = join(import.meta.dirname, "../../migrations");
  const actualDigests = Object.keys(digests).map((file) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
    return [file, digest.slice(0, 16)];
  });
  assert.deepEqual(Object.fromEntries(actualDigests), digests);
});
