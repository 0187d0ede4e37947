import { sql } from "kysely";
import pg from "pg";
import { openDatabase } from "#db/open-database.ts";
import type { Database } from "#db/database.ts";
import type { Caller } from "#domain/caller.ts";
import { systemClock } from "#lib/clock.ts";
import { openDiskStore, type DiskStore } from "#storage/disk/disk-store.ts";
import {
  createDeps,
  createTemporaryDatabase,
  silentLog,
  type EngineName,
  type TestDeps,
} from "../test/support/engines.ts";
import { createTempFolder } from "../test/support/temp-folder.ts";
import { newStudio } from "../test/support/users.ts";

/** A database and a disk store for one benchmark. */
export interface Bench {
  database: Database;
  deps: TestDeps;
  files: DiskStore;
  owner: Caller;
  url: string | undefined;
  close(): Promise<void>;
}

export async function createBench(engine: EngineName, postgresUrl: string | undefined): Promise<Bench> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const database = await openDatabase({ ...location, log: silentLog });
  const folder = createTempFolder("atelier-bench-");
  const createUrl = async () => "http://localhost/unused";
  const urls = {
    origin: "http://localhost",
    createUploadUrl: createUrl,
    createDownloadUrl: createUrl,
    createPartUrl: createUrl,
  };
  const files = await openDiskStore({ root: folder.path, urls, clock: systemClock, minFreeBytes: 0 });
  const deps: TestDeps = { ...createDeps(database, systemClock), files };
  const owner = await newStudio(deps);
  return {
    database,
    deps,
    files,
    owner,
    url: location.databaseUrl,
    async close() {
      await database.close();
      await location.remove();
      folder.remove();
    },
  };
}

/**
 * Inserts `count` assets with SQL: half of them on posts with twenty assets each, the rest unattached.
 * Returns the id of one of the posts.
 */
export async function insertPostsWithAssets({ database, owner, url }: Bench, count: number): Promise<string> {
  const { q, engine } = database;
  const pad = (n: string) => (engine === "sqlite" ? `printf('%026d', ${n})` : `lpad((${n})::text, 26, '0')`);
  const series = (to: number) =>
    engine === "sqlite"
      ? `(WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n + 1 < ${to}) SELECT n FROM s)`
      : `(SELECT generate_series(0, ${to - 1}) AS n)`;
  const postCount = Math.max(1, Math.floor(count / 40));
  // These statements exceed the service's statement timeout, so they use a separate connection.
  const client = url === undefined ? undefined : new pg.Client({ connectionString: url });
  await client?.connect();
  const write = async (text: string): Promise<void> =>
    void (await (client ? client.query(text) : sql.raw(text).execute(q)));
  await write("BEGIN");
  await write(
    `INSERT INTO posts (id, studio_id, title, body, status, revision, search_text, created_by, created_at, updated_at, asset_count, last_position)
       SELECT 'pst_' || ${pad("n")}, '${owner.studio.id}', 'Post', 'Body', 'draft', 1, 'post body', '${owner.user.id}', 1, 1, 20, 20 FROM ${series(postCount)} AS t`,
  );
  for (let from = 0; from < count; from += 100_000) {
    const n = `(n + ${from})`;
    const isOnPost = `${n} < ${postCount * 20}`;
    await write(
      `INSERT INTO assets (id, studio_id, post_id, position, kind, mime_type, filename, status, bytes, version, sha256, storage_key, charged_bytes, created_by, created_at)
         SELECT 'ast_' || ${pad(n)}, '${owner.studio.id}',
           CASE WHEN ${isOnPost} THEN 'pst_' || ${pad(`${n} / 20`)} END, CASE WHEN ${isOnPost} THEN ${n} % 20 + 1 END,
           CASE ${n} % 3 WHEN 0 THEN 'image' WHEN 1 THEN 'video' ELSE 'document' END, 'image/jpeg', 'file.jpg', 'ready',
           1000, 'v', 'd', 'files/' || ${pad(n)}, 1000, '${owner.user.id}', 1
         FROM ${series(Math.min(100_000, count - from))} AS t`,
    );
  }
  await write("COMMIT");
  // Not the search index: analyzing its tables while they are empty would make SQLite scan them once they have grown.
  for (const table of ["posts", "assets"]) await write(`ANALYZE ${table}`);
  await client?.end();
  const middlePost = Math.floor(postCount / 2);
  return `pst_${String(middlePost).padStart(26, "0")}`;
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Runs both functions in alternating rounds, so that other load affects both. Returns their median times in ms. */
export async function measureMedians(
  rounds: number,
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    times[0].push(await measureMs(first));
    times[1].push(await measureMs(second));
  }
  return [median(times[0]), median(times[1])];
}
