import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { databaseFileName } from "#db/open-database.ts";
import type { DatabaseLocation } from "../test/support/engines.ts";
import { createFillContext, textCount, type FillCounts, type Filler } from "./fill-context.ts";
import { fillAssets, fillPosts, fillPublications, fillStudios } from "./fill-tables.ts";

/**
 * Fills a database with SQL instead of verbs: ten revisions and ten activity rows per post, one asset per post, one
 * publication per ten posts, one studio per hundred posts. A tenth of everything belongs to one large studio, the rest is
 * spread evenly over the others. Rows of all studios alternate, as if they had been added over the same years.
 */

/**
 * With more posts, PostgreSQL's indexes are created after the rows, which is faster. They are then smaller than indexes
 * that grew with the rows.
 */
const maxPostsWithGrownIndexes = 100_000;

export async function openFiller({ databaseUrl, dataDir }: DatabaseLocation): Promise<Filler> {
  if (databaseUrl === undefined) {
    const db = new DatabaseSync(join(dataDir, databaseFileName), { enableForeignKeyConstraints: false });
    db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -500000");
    return {
      engine: "sqlite",
      write: async (sql) => db.exec(sql),
      read: async <Row>(sql: string) => db.prepare(sql).all() as Row[],
      close: async () => db.close(),
    };
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '1GB'");
  return {
    engine: "postgres",
    write: async (sql, params) => void (await client.query(sql, params as unknown[] | undefined)),
    read: async <Row>(sql: string) => (await client.query(sql)).rows as Row[],
    close: () => client.end(),
  };
}

/** Texts of words with very different frequencies. Every title has `common`; `fillPosts` adds rarer words. */
function createTexts(): { title: string; body: string }[] {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const syllables = "ba ka da fe ge le me ni pi ri so to vo lu nu mer ten sal con pro ran ing ent est er".split(" ");
  const createWord = (): string =>
    Array.from({ length: 2 + Math.floor(random() * 3) }, () => syllables[Math.floor(random() * syllables.length)]).join(
      "",
    );
  const words = Array.from({ length: 4000 }, createWord);
  const createText = (length: number): string =>
    Array.from({ length }, () => words[Math.floor(words.length * random() ** 3)]).join(" ");
  return Array.from({ length: textCount }, () => ({
    title: `Common ${createText(4)}`,
    body: createText(20 + Math.floor(random() ** 2 * 100)),
  }));
}

/**
 * Fills the tables, and skips tables and columns that the schema does not have. `now` is between the published and the
 * scheduled publications.
 */
export async function fillDatabase(filler: Filler, counts: FillCounts, now: number): Promise<void> {
  const indexes =
    counts.posts > maxPostsWithGrownIndexes && filler.engine === "postgres" ? await dropIndexes(filler) : [];
  await fillTables(filler, counts, now);
  for (const sql of indexes) await filler.write(sql);
}

/** Returns the statements that create the indexes again. */
async function dropIndexes(filler: Filler): Promise<string[]> {
  const indexes = await filler.read<{ name: string; sql: string }>(
    `SELECT c.relname AS name, pg_get_indexdef(c.oid) AS sql
       FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid
      WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = c.oid)`,
  );
  for (const { name } of indexes) await filler.write(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql);
}

async function fillTables(filler: Filler, counts: FillCounts, now: number): Promise<void> {
  await filler.write("CREATE TEMP TABLE texts (n BIGINT PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL)");
  const rows = createTexts().map(({ title, body }, i) => `(${i}, '${title}', '${body}')`);
  await filler.write(`INSERT INTO texts VALUES ${rows.join(", ")}`);
  if (filler.engine === "postgres") await filler.write("ANALYZE texts");

  const context = createFillContext(filler, counts, now);
  await fillStudios(context);
  await fillPosts(context);
  await fillAssets(context);
  await fillPublications(context);
  await filler.write("DROP TABLE texts");
}
