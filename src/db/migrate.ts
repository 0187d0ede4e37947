import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import type { QueryResult } from "pg";
import { sha256 } from "#lib/digest.ts";
import { OperatorError } from "#lib/errors.ts";
import type { Database } from "./database.ts";

/** The migration files and the database do not match. Thrown before anything is changed. */
export class MigrationError extends OperatorError {
  override readonly name = "MigrationError";
}

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

export type AppliedMigration = Pick<Migration, "name" | "checksum">;

/** A dedicated connection for one migration run. */
interface MigrationConnection {
  engine: Database["engine"];
  /** Runs one or more statements and returns the rows of the last one. */
  exec(sql: string): Promise<unknown[]>;
  /** Begins a transaction that holds the migration lock. */
  beginSql: string;
  hasTable(name: string): Promise<boolean>;
  close(): Promise<void>;
}

const lockKey = 7_283_549_106;

export async function migrateSqlite(path: string, folder: string): Promise<string[]> {
  const db = new DatabaseSync(path, { timeout: 30_000, enableForeignKeyConstraints: true });
  db.exec("PRAGMA synchronous = FULL");
  return migrate(folder, {
    engine: "sqlite",
    exec: async (sql) => {
      if (/^\s*SELECT/i.test(sql)) return db.prepare(sql).all();
      db.exec(sql);
      return [];
    },
    beginSql: "BEGIN IMMEDIATE", // the write lock serves as the migration lock
    hasTable: async (name) => db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").all(name).length > 0,
    close: async () => db.close(),
  });
}

/** Throws if the database has migrations that this version does not include. Does not write next to the file. */
export async function checkSqliteHistory(path: string, folder: string): Promise<void> {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  using db = new DatabaseSync(url, { readOnly: true });
  const history = db.prepare("SELECT name, checksum FROM schema_migrations").all() as unknown as AppliedMigration[];
  checkHistory(history, await readMigrations(folder, "sqlite"));
}

export async function migratePostgres(url: string, folder: string): Promise<string[]> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    application_name: "atelier-migrate",
  });
  client.on("error", () => {}); // the running statement rejects
  await client.connect();
  return migrate(folder, {
    engine: "postgres",
    exec: async (sql) => {
      // pg returns an array of results for several statements, which its types omit.
      const results: QueryResult<object> | QueryResult<object>[] = await client.query<object>(sql);
      return [results].flat().at(-1)?.rows ?? [];
    },
    // Not a session lock, which a connection of a pooler would keep after the migration.
    beginSql: `BEGIN; SELECT pg_advisory_xact_lock(${lockKey})`,
    hasTable: async (name) =>
      (await client.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [name])).rows.length > 0,
    close: () => client.end(),
  });
}

/**
 * Applies the pending migrations and returns their names. Each file and its history row are one transaction, so a process
 * that is killed leaves a file either fully applied or not applied.
 */
async function migrate(folder: string, connection: MigrationConnection): Promise<string[]> {
  const migrations = await readMigrations(folder, connection.engine);
  const appliedNames: string[] = [];
  try {
    for (const migration of migrations) {
      await connection.exec(connection.beginSql);
      try {
        if (await applyMigration(connection, migration, migrations)) appliedNames.push(migration.name);
        await connection.exec("COMMIT");
      } catch (error) {
        await connection.exec("ROLLBACK").catch(() => {});
        throw error;
      }
    }
    return appliedNames;
  } finally {
    await connection.close();
  }
}

/** Returns false if the migration was already applied. */
async function applyMigration(
  connection: MigrationConnection,
  migration: Migration,
  migrations: readonly Migration[],
): Promise<boolean> {
  if (!(await connection.hasTable("schema_migrations"))) {
    if (await connection.hasTable("users")) {
      throw new MigrationError(
        "The database has tables but no migration history. It is damaged or belongs to another application. Nothing was changed.",
      );
    }
    await connection.exec(
      "CREATE TABLE schema_migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)",
    );
  }
  const history = (await connection.exec("SELECT name, checksum FROM schema_migrations")) as AppliedMigration[];
  checkHistory(history, migrations);
  if (history.some(({ name }) => name === migration.name)) return false;
  await connection.exec(migration.sql);
  await connection.exec(
    `INSERT INTO schema_migrations VALUES ('${migration.name}', '${migration.checksum}', ${Date.now()})`,
  );
  return true;
}

/** Returns the names of the migrations that the next start applies. Throws if the history is not of this version. */
export async function findPendingMigrations(
  history: readonly AppliedMigration[],
  folder: string,
  engine: Database["engine"],
): Promise<string[]> {
  const migrations = await readMigrations(folder, engine);
  checkHistory(history, migrations);
  return migrations.map(({ name }) => name).filter((name) => !history.some((applied) => applied.name === name));
}

function checkHistory(history: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const { name, checksum } of history) {
    const file = migrations.find((migration) => migration.name === name);
    if (!file)
      throw new MigrationError(
        `The database was created by a newer version: it has ${name}, which this version does not include. Nothing was changed.`,
      );
    if (file.checksum !== checksum)
      throw new MigrationError(`The migration ${name} was edited after it had been applied. Nothing was changed.`);
  }
}

/**
 * A migration is one file for both engines, or one file for each engine that needs it: `0017-search-index.sqlite.sql` and
 * `0017-search-index.postgres.sql` are the migration `0017-search-index.sql`.
 */
export async function readMigrations(folder: string, engine: Database["engine"]): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-[a-z0-9-]+(\.sqlite|\.postgres)?\.sql$/.test(file));
  const migrations = await Promise.all(
    files
      .filter((file) => file.split(".").length === 2 || file.endsWith(`.${engine}.sql`))
      .map(async (file) => {
        const sql = await readFile(join(folder, file), "utf8");
        return { name: file.replace(`.${engine}.sql`, ".sql"), sql, checksum: sha256(sql) };
      }),
  );
  return migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
