import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Database } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { restorePost } from "#domain/history/restore-post.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createDeps, createEmptyDatabase, listEngines, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { readHistory } from "../support/history-fixture.ts";
import { createMigrationFolder, queryDatabase, type MigrationFolder } from "../support/migrations.ts";

const migrations = join(import.meta.dirname, "../../migrations");
const olderMigrations = Object.fromEntries(
  readdirSync(migrations)
    .filter((name) => name < "0011")
    .map((name) => [name, readFileSync(join(migrations, name), "utf8")]),
);

const now = 1_790_000_000_000;
const newId = createIdGenerator(() => now);
const ids = {
  user: newId("user"),
  studio: newId("studio"),
  byClient: newId("post"),
  byUser: newId("post"),
  first: newId("asset"),
  second: newId("asset"),
  linked: newId("asset"),
  uploading: newId("asset"),
  link: newId("uploadLink"),
};

const buildPostInsert = (id: string, status: string, revision: number, assetCount: number): string =>
  `INSERT INTO posts (id, studio_id, title, body, status, revision, search_text, created_by, created_at, updated_at,
                      asset_count, last_position)
   VALUES ('${id}', '${ids.studio}', 'Title', 'Body', '${status}', ${revision}, 'title body', '${ids.user}', ${now},
           ${now + revision}, ${assetCount}, 9)`;

const buildAssetInsert = (id: string, position: number | null, altText = "NULL", isReady = true): string =>
  `INSERT INTO assets (id, studio_id, post_id, position, kind, mime_type, filename, status, bytes, version, sha256,
                       storage_key, charged_bytes, alt_text, upload_expires_at, created_by, created_at)
   VALUES ('${id}', '${ids.studio}', ${position === null ? "NULL" : `'${ids.byClient}'`}, ${position}, 'document',
           'text/plain', 'a.txt', ${isReady ? `'ready', 5, 'v', 's', 'files/${id}', 5` : "'pending', NULL, NULL, NULL, NULL, 0"},
           ${altText}, ${isReady ? "NULL" : now}, '${ids.user}', ${now})`;

const buildActivityInsert = (action: string, subjectId: string, clientName: string | null): string =>
  `INSERT INTO activity (id, studio_id, user_id, client_id, client_name, action, subject_id, detail, at)
   VALUES ('${newId("activity")}', '${ids.studio}', '${ids.user}', ${clientName === null ? "NULL, NULL" : `'c', '${clientName}'`},
           '${action}', '${subjectId}', '{}', ${now})`;

/** Rows from before migration 0011, without the columns that it adds for the history. */
const statements = [
  `INSERT INTO studios (id, name, slug, timezone, owner_count, created_at, used_bytes)
   VALUES ('${ids.studio}', 'Studio', 'studio', 'UTC', 1, ${now}, 15)`,
  `INSERT INTO users (id, issuer, subject, name, email_verified, created_at)
   VALUES ('${ids.user}', 'i', 's', 'Ada', 0, ${now})`,
  `INSERT INTO memberships (studio_id, user_id, role, joined_at) VALUES ('${ids.studio}', '${ids.user}', 'owner', ${now})`,
  buildPostInsert(ids.byClient, "ready", 7, 4),
  buildPostInsert(ids.byUser, "draft", 1, 0),
  buildAssetInsert(ids.first, 5, "'What it shows'"),
  buildAssetInsert(ids.second, 2),
  buildAssetInsert(ids.linked, 8),
  buildAssetInsert(ids.uploading, 9, "NULL", false),
  `INSERT INTO upload_links (id, studio_id, post_id, created_by, in_place, expires_at, created_at)
   VALUES ('${ids.link}', '${ids.studio}', '${ids.byClient}', '${ids.user}', 0, ${now}, ${now})`,
  `INSERT INTO upload_files (asset_id, link_id, file_hash, bytes, part_bytes) VALUES ('${ids.linked}', '${ids.link}', 'h', 5, 5)`,
  buildActivityInsert("post.created", ids.byClient, "Claude"),
  buildActivityInsert("post.updated", ids.byClient, "Cursor"),
  buildActivityInsert("post.created", ids.byUser, null),
  buildActivityInsert("post.updated", ids.byUser, "Claude"),
  buildActivityInsert("asset.uploaded", ids.first, "Claude"),
  buildActivityInsert("asset.uploaded", ids.second, null),
  buildActivityInsert("asset.requested", ids.linked, "Claude"),
];

for (const engine of listEngines()) {
  describe(`history of existing posts (${engine})`, () => {
    let location: TemporaryDatabase;
    let folder: MigrationFolder;
    let database: Database;
    let deps: Deps;
    before(async () => {
      location = await createEmptyDatabase(engine);
      folder = createMigrationFolder(olderMigrations);
      await (await openDatabase({ ...location, migrations: folder.path, log: silentLog })).close();
      for (const statement of statements) await queryDatabase(location, statement);
      database = await openDatabase({ ...location, log: silentLog });
      deps = createDeps(database, () => now + 1000);
    });
    after(async () => {
      await database.close();
      folder.remove();
      await location.remove();
    });

    const owner: Caller = {
      user: { id: ids.user, name: "Ada", email: null },
      studio: { id: ids.studio, name: "Studio" },
      role: "owner",
      scopes: ["studio:read", "studio:write"],
      credential: { kind: "session", tokenHash: "owner" },
    };

    test("the current content of every post becomes its first revision (HIST-7)", async () => {
      const [revision, ...others] = await readHistory(deps, owner, ids.byClient);
      assert.deepEqual(others, []);
      assert.deepEqual(revision, {
        revision: 7,
        at: new Date(now + 7).toISOString(),
        user: null,
        client: null,
        changed: [],
        title: "Title",
        body: "Body",
        status: "ready",
        variants: [],
        tags: [],
        assets: [
          { id: ids.second, kind: "document", mimeType: "text/plain", filename: "a.txt" },
          { id: ids.first, kind: "document", mimeType: "text/plain", filename: "a.txt", altText: "What it shows" },
          { id: ids.linked, kind: "document", mimeType: "text/plain", filename: "a.txt" },
        ],
      });
      const [firstRevision] = await readHistory(deps, owner, ids.byUser);
      assert.deepEqual([firstRevision?.revision, firstRevision?.user?.name], [1, "Ada"], "by the post's creator");
    });

    test("posts and assets are attributed to the client that created them (HIST-7)", async () => {
      const posts = await Promise.all([ids.byClient, ids.byUser].map((postId) => getPost(deps, owner, { postId })));
      assert.deepEqual(
        posts.map(({ createdByClient, readyRevision }) => [createdByClient, readyRevision]),
        [
          ["Claude", 7],
          [null, null],
        ],
      );
      const assets = await Promise.all(
        [ids.first, ids.second, ids.linked].map((id) => deps.assets.find(ids.studio, id)),
      );
      assert.deepEqual(
        assets.map((asset) => asset?.createdByClientName),
        ["Claude", null, null],
        "a file from an upload link has no client",
      );
    });

    test("upload links and their files are kept when their tables are replaced (LIB-3)", async () => {
      assert.equal((await deps.uploads.findLink(ids.link))?.postId, ids.byClient);
      const [file, ...others] = await deps.uploads.listFiles(ids.link);
      assert.deepEqual([file?.asset.id, file?.bytes, file?.receivedBytes, others], [ids.linked, 5, 0, []]);
    });

    test("an existing post can be changed and restored to its first revision (HIST-7, HIST-5)", async () => {
      await deps.sessions.insert("owner", ids.user, now, now + 2000);
      const originalPost = await getPost(deps, owner, { postId: ids.byClient });
      await updatePost(deps, owner, { postId: ids.byClient, title: "Other", status: "draft" });
      assert.deepEqual((await readHistory(deps, owner, ids.byClient))[0]?.changed, ["title", "status"]);
      const { missingAssets, ...restoredPost } = await restorePost(deps, owner, { postId: ids.byClient, revision: 7 });
      assert.deepEqual(missingAssets, []);
      assert.deepEqual(
        [restoredPost.title, restoredPost.status, restoredPost.assets.map(({ id }) => id)],
        ["Title", "ready", originalPost.assets.map(({ id }) => id)],
      );
    });
  });
}
