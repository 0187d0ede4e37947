import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { databaseFileName } from "./open-database.ts";
import { OperatorError } from "#lib/errors.ts";
import { indexTables } from "./search-index.ts";
import { isBusy } from "./sqlite.ts";

const indexTableNames = new Set<string>(Object.values(indexTables).map(({ entryTable }) => entryTable));

/** The file of one or more ready assets, as recorded in the database. */
export interface RecordedFile {
  key: string;
  mimeType: string;
  bytes: number;
  sha256: string;
}

/** The SQLite database for operator commands. */
export interface SqliteFile {
  /** Copies a consistent snapshot of the database. Other processes can keep writing. */
  copyTo(path: string): void;
  listReadyFiles(): Iterable<RecordedFile>;
  countReadyFiles(): number;
  listAssetsOfFile(key: string): { assetId: string; studioId: string }[];
  listTables(): TableSchema[];
  readRows(table: TableSchema): Iterable<Row>;
  /** The names of the applied migrations. */
  listMigrations(): string[];
  close(): void;
}

export interface TableSchema {
  name: string;
  columns: string[];
}

export type Row = Record<string, string | number | null>;

/** With `isExclusive`, opening fails while the service runs; without it, both can use the database at the same time. */
export function openSqliteFile(dataDir: string, options: { isExclusive: boolean }): SqliteFile {
  const path = join(dataDir, databaseFileName);
  if (!existsSync(path))
    throw new OperatorError(`There is no database in ${dataDir}. Set DATA_DIR to the data folder of the service.`);
  const db = new DatabaseSync(path, { timeout: options.isExclusive ? 500 : 10_000 });
  try {
    if (options.isExclusive) acquireExclusiveLock(db, dataDir);
  } catch (error) {
    db.close();
    throw error;
  }
  const findAssetsByKey = db.prepare(
    'SELECT id AS "assetId", studio_id AS "studioId" FROM assets WHERE storage_key = ? ORDER BY id',
  );
  // Copies of an asset share one file, so rows with the same key have the same type, size and version.
  const readyFilesSql = "FROM assets WHERE status = 'ready' AND storage_key IS NOT NULL";
  return {
    // Not SQLite's backup API: it restarts whenever another process writes, and never finishes under load.
    copyTo: (targetPath) => void db.prepare("VACUUM INTO ?").run(targetPath),
    // The disk store uses the SHA-256 digest as the version.
    listReadyFiles: () =>
      db
        .prepare(
          `SELECT storage_key AS key, mime_type AS "mimeType", bytes, version AS sha256
             ${readyFilesSql} GROUP BY storage_key ORDER BY storage_key`,
        )
        .iterate() as Iterable<unknown> as Iterable<RecordedFile>,
    countReadyFiles: () =>
      Number(db.prepare(`SELECT COUNT(DISTINCT storage_key) AS count ${readyFilesSql}`).get()?.["count"]),
    listAssetsOfFile: (key) => findAssetsByKey.all(key) as { assetId: string; studioId: string }[],
    listTables: () => readTables(db),
    readRows: ({ name, columns }) =>
      db
        .prepare(`SELECT ${columns.map(quoteIdentifier).join(", ")} FROM ${quoteIdentifier(name)}`)
        .iterate() as Iterable<Row>,
    listMigrations: () =>
      db
        .prepare("SELECT name FROM schema_migrations ORDER BY name")
        .all()
        .map((row) => String(row["name"])),
    close: () => db.close(),
  };
}

/** Fails while a service is running: its open connections hold a shared lock on the file. */
function acquireExclusiveLock(db: DatabaseSync, dataDir: string): void {
  try {
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    if (!isBusy(error)) throw error;
    throw new OperatorError(`The database in ${dataDir} is in use. Stop the service and try again.`);
  }
}

/**
 * Atelier's tables, each after the tables that its foreign keys reference. The list omits the search index, which the
 * engines store differently.
 */
function readTables(db: DatabaseSync): TableSchema[] {
  const names = db
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name",
    )
    .all()
    .map((row) => String(row["name"]))
    .filter((name) => name !== "schema_migrations" && !indexTableNames.has(name));
  const orderedNames = new Set<string>();
  const addAfterReferences = (name: string): void => {
    if (orderedNames.has(name)) return;
    for (const row of db.prepare(`PRAGMA foreign_key_list(${quoteIdentifier(name)})`).all()) {
      const referencedTable = String(row["table"]);
      if (referencedTable !== name) addAfterReferences(referencedTable);
    }
    orderedNames.add(name);
  };
  names.forEach(addAfterReferences);
  return [...orderedNames].map((name) => ({
    name,
    columns: db
      .prepare(`PRAGMA table_info(${quoteIdentifier(name)})`)
      .all()
      .map((row) => String(row["name"])),
  }));
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
