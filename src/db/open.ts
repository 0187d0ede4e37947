import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "#lib/log.ts";
import type { Database } from "./client.ts";
import { migratePostgres, migrateSqlite } from "./migrate.ts";
import { openPostgres } from "./postgres.ts";
import { DamagedDatabaseError, isBusy, openSqlite } from "./sqlite.ts";

export const databaseFile = "atelier.db";
export const migrationsFolder = join(import.meta.dirname, "../../migrations");

export interface OpenOptions {
  databaseUrl: string | undefined;
  dataDir: string;
  log: Log;
  /** Tests bring their own. */
  migrations?: string;
}

/** Opens the configured database, brought up to date. Refuses what it cannot trust, and changes nothing then. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const folder = options.migrations ?? migrationsFolder;
  if (options.databaseUrl !== undefined) {
    logApplied(options.log, await migratePostgres(options.databaseUrl, folder));
    return openPostgres(options.databaseUrl, options.log);
  }
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const path = join(options.dataDir, databaseFile);
  await refuseLostDatabase(options.dataDir, path);
  const database = await openWhenFree(path);
  try {
    logApplied(options.log, await migrateSqlite(path, folder));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Turning a new file into a database takes it for oneself for a moment, and SQLite does not wait for that by itself. */
async function openWhenFree(path: string): Promise<Database> {
  for (let tries = 1; ; tries++) {
    try {
      return openSqlite(path);
    } catch (error) {
      if (!isBusy(error) || tries >= 100) throw error;
      await sleep(50);
    }
  }
}

/**
 * A database that is missing or empty is a fresh start only where nothing else of ours lies.
 * The secret and the files are made after the first migration, so whoever has them had a database.
 */
async function refuseLostDatabase(dataDir: string, path: string): Promise<void> {
  // The folder first: another process that starts with us makes the database before anything else.
  const others = (await readdir(dataDir)).filter(
    (name) => name !== databaseFile && name !== "lost+found" && !name.startsWith("."),
  );
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size !== undefined && size > 0) return;
  const remains = size === 0 ? others.filter((name) => !name.startsWith(`${databaseFile}-`)) : others;
  if (remains.length === 0) return;
  throw new DamagedDatabaseError(
    `The database ${path} is ${size === 0 ? "empty" : "missing"}, but ${dataDir} holds ${remains.slice(0, 3).join(", ")}. ` +
      "Restore the database from a backup, or point DATA_DIR at an empty folder. Nothing was changed.",
  );
}

function logApplied(log: Log, applied: readonly string[]): void {
  if (applied.length > 0) log.info({ applied }, "database brought up to date");
}
