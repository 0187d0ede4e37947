import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { DatabaseSync } from "node:sqlite";
import { databaseFileName } from "#db/open-database.ts";
import type { DatabaseLocation } from "./engines.ts";
import { createTempFolder } from "./temp-folder.ts";

/** A folder of migration files that a test writes. */
export interface MigrationFolder {
  path: string;
  /** Replaces all files in the folder. */
  write(files: Record<string, string>): void;
  remove(): void;
}

export function createMigrationFolder(files: Record<string, string>): MigrationFolder {
  const folder = createTempFolder();
  const path = join(folder.path, "migrations");
  mkdirSync(path);
  const write = (newFiles: Record<string, string>) => {
    for (const name of readdirSync(path)) rmSync(join(path, name));
    for (const [name, text] of Object.entries(newFiles)) writeFileSync(join(path, name), text);
  };
  write(files);
  return { path, write, remove: folder.remove };
}

/** Runs a statement with the engine's client library, bypassing Atelier's database code. */
export async function queryDatabase(location: DatabaseLocation, sql: string): Promise<Record<string, unknown>[]> {
  if (location.databaseUrl === undefined) {
    const db = new DatabaseSync(join(location.dataDir, databaseFileName), { timeout: 5000 });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: location.databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Lists all tables except virtual tables and the tables in which these store their data. */
export async function listTables(location: DatabaseLocation): Promise<string[]> {
  const rows = await queryDatabase(
    location,
    location.databaseUrl === undefined
      ? "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"
      : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  return rows.map(({ name }) => String(name));
}
