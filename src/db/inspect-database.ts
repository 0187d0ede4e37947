import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { findPendingMigrations, type AppliedMigration } from "./migrate.ts";
import {
  assertDatabaseNotLost,
  databaseFileName,
  migrationsFolder,
  type OpenDatabaseOptions,
} from "./open-database.ts";

export interface DatabaseState {
  /** The server has never been started with this database. */
  isNew: boolean;
  /** Throws if the migrations of the database are not those of this version. */
  listPendingMigrations(): Promise<string[]>;
}

const historySql = "SELECT name, checksum FROM schema_migrations";

/** Reads the state of the database without changing it: no migration, no new file, and no lock that others wait for. */
export async function inspectDatabase(
  options: Pick<OpenDatabaseOptions, "databaseUrl" | "dataDir">,
): Promise<DatabaseState> {
  const { databaseUrl, dataDir } = options;
  const engine = databaseUrl === undefined ? "sqlite" : "postgres";
  const history = databaseUrl === undefined ? await readSqliteHistory(dataDir) : await readPostgresHistory(databaseUrl);
  return {
    isNew: history === undefined,
    listPendingMigrations: () => findPendingMigrations(history ?? [], migrationsFolder, engine),
  };
}

async function readSqliteHistory(dataDir: string): Promise<AppliedMigration[] | undefined> {
  const path = join(dataDir, databaseFileName);
  if (existsSync(dataDir)) await assertDatabaseNotLost(dataDir, path);
  if (!existsSync(path)) return undefined;
  const url = pathToFileURL(path);
  // Opening a database in WAL mode creates the log and its index, unless the file is opened as immutable.
  if (!existsSync(`${path}-wal`) || !existsSync(`${path}-shm`)) url.searchParams.set("immutable", "1");
  using db = new DatabaseSync(url, { readOnly: true, timeout: 5000 });
  const hasHistory = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get() !== undefined;
  return hasHistory ? (db.prepare(historySql).all() as unknown as AppliedMigration[]) : undefined;
}

async function readPostgresHistory(connectionString: string): Promise<AppliedMigration[] | undefined> {
  const { default: pg } = await import("pg");
  const timeouts = { connectionTimeoutMillis: 5000, query_timeout: 5000 };
  const client = new pg.Client({ connectionString, ...timeouts, application_name: "atelier-doctor" });
  client.on("error", () => {}); // the running statement rejects
  await client.connect();
  try {
    const { rows } = await client.query("SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL");
    return rows.length > 0 ? (await client.query<AppliedMigration>(historySql)).rows : undefined;
  } finally {
    await client.end();
  }
}
