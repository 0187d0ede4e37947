import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import type { Database } from "#db/database.ts";
import { databaseFileName, openDatabase } from "#db/open-database.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import type { Caller } from "#domain/caller.ts";
import { call, startApiServer, type ApiServer } from "../support/api-server.ts";
import { fillPath, listApiRoutes } from "../support/api-routes.ts";
import { createDeps, createEmptyDatabase, listEngines, silentLog, type TemporaryDatabase } from "../support/engines.ts";
import { createTestClock } from "../support/clock.ts";
import { callModern } from "../support/mcp.ts";
import { listTables, queryDatabase } from "../support/migrations.ts";
import { createTestGrant } from "../support/tokens.ts";
import { signInUser } from "../support/users.ts";

/**
 * Databases that earlier versions wrote, with rows in every table: `createSampleStudio` and a few INSERTs ran in a
 * worktree of that version. Version 0.1.0 ends with migration 0010.
 */
const versions = ["0.1.0", "migration-0036"];

/** What migrations replace on purpose: the search index is built again, and servers register again at platforms. */
const replaced = new Set([
  "post_search",
  "asset_search",
  "platform_apps",
  "posts.search_indexed",
  "assets.search_indexed",
]);

type Row = Record<string, unknown>;
/** By table. */
type Content = Map<string, Row[]>;

async function readContent(location: TemporaryDatabase): Promise<Content> {
  const content: Content = new Map();
  for (const table of await listTables(location))
    if (table !== "schema_migrations" && !replaced.has(table))
      content.set(table, await queryDatabase(location, `SELECT * FROM ${table}`));
  return content;
}

async function writeFixture(location: TemporaryDatabase, version: string): Promise<void> {
  const extension = location.databaseUrl === undefined ? "db" : "sql";
  const fixture = gunzipSync(readFileSync(join(import.meta.dirname, `../upgrades/${version}.${extension}.gz`)));
  if (location.databaseUrl === undefined) {
    mkdirSync(location.dataDir, { recursive: true });
    return writeFileSync(join(location.dataDir, databaseFileName), fixture);
  }
  const client = new pg.Client({ connectionString: location.databaseUrl });
  await client.connect();
  await client.query(fixture.toString()).finally(() => client.end());
}

for (const version of versions)
  for (const engine of listEngines())
    describe(`a database of ${version} (${engine})`, () => {
      let location: TemporaryDatabase;
      let database: Database;
      let server: ApiServer;
      let owner: Caller;
      let contentBefore: Content;
      const ids: Record<string, string> = {};
      let connectionId: string;

      before(async () => {
        location = await createEmptyDatabase(engine);
        await writeFixture(location, version);
        contentBefore = await readContent(location);
        database = await openDatabase({ ...location, log: silentLog });
        const deps = createDeps(database, createTestClock());
        server = await startApiServer(deps);
        const { q } = database;
        const { userId, studioId } = await q
          .selectFrom("memberships")
          .selectAll()
          .where("role", "=", "owner")
          .executeTakeFirstOrThrow();
        const user = (await deps.users.find(userId))!;
        owner = await resolveStudioCaller(deps, await signInUser(deps, user), studioId);
        ids["studioId"] = studioId;
        ids["postId"] = (
          await q.selectFrom("assets").select("postId").where("postId", "is not", null).executeTakeFirstOrThrow()
        ).postId!;
        ids["assetId"] = (
          await q.selectFrom("assets").select("id").where("status", "=", "ready").executeTakeFirstOrThrow()
        ).id;
        const publication = await q.selectFrom("publications").select("id").executeTakeFirst();
        if (publication) ids["publicationId"] = publication.id;
        connectionId = (
          await q
            .selectFrom("platformConnections")
            .select("id")
            .where("studioId", "=", studioId)
            .executeTakeFirstOrThrow()
        ).id;
      });
      after(async () => {
        await server?.close();
        await database?.close();
        await location?.remove();
      });

      test("keeps every row and value (RUN-12)", async () => {
        const contentAfter = await readContent(location);
        for (const [table, rowsBefore] of contentBefore) {
          assert.ok(rowsBefore.length > 0, `the fixture has no row in ${table}`);
          const rowsAfter = contentAfter.get(table);
          if (!rowsAfter) continue;
          const [first = {}] = rowsAfter;
          const columns = Object.keys(rowsBefore[0] ?? {}).filter(
            (column) => column in first && !replaced.has(`${table}.${column}`),
          );
          const pick = (rows: Row[]): string[] =>
            rows.map((row) => JSON.stringify(columns.map((column) => String(row[column])))).toSorted();
          const missing = pick(rowsBefore).filter((row) => !pick(rowsAfter).includes(row));
          assert.deepEqual(missing, [], `${table}: ${columns.join()}`);
        }
      });

      test("every list and page of the web app can be read (RUN-12)", async () => {
        const cookie = await server.signIn(owner);
        const query: Record<string, string> = {
          calendar: "?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z",
          results: `?connectionId=${connectionId}&age=24&days=90`,
        };
        const responses = new Map<string, number>();
        for (const { method, path } of listApiRoutes()) {
          const filled = fillPath(path, ids);
          if (method !== "GET" || filled.includes("/:") || path.endsWith("/events")) continue;
          const url = `${filled}${query[path.split("/:studioId/")[1] ?? ""] ?? ""}`;
          responses.set(path, (await call(server, "GET", url, { cookie })).status);
        }
        assert.ok(responses.size > 20, String(responses.size));
        assert.deepEqual(
          [...responses].filter(([, status]) => status !== 200),
          [],
        );
      });

      test("every tool that reads works, and posts can be changed (RUN-12)", async () => {
        const { token } = await createTestGrant(server.deps, owner);
        const caller = { url: `${server.base}/mcp`, token };
        const { tools } = (await callModern(caller, "tools/list")).json.result;
        const readers = tools.filter(({ annotations }) => annotations["readOnlyHint"] === true);
        assert.ok(readers.length > 8);
        for (const { name, inputSchema } of readers) {
          const { required = [] } = inputSchema as { required?: string[] };
          const input = Object.fromEntries(required.map((field) => [field, ids[field] ?? "missing"]));
          const { result } = (await callModern(caller, "tools/call", { name, arguments: input })).json;
          assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
        }
        await updatePost(server.deps, owner, { postId: ids["postId"]!, title: "Changed after the upgrade" });
        await createPost(server.deps, owner, { title: "New", body: "" });
      });
    });
