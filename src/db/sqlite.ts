import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type QueryResult,
} from "kysely";
import { statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, OperatorError } from "#lib/errors.ts";
import { createRowReader, toColumnValue } from "./columns.ts";
import { createConnectionSlots } from "./connection-slots.ts";
import {
  createDatabase,
  createDialect,
  rejectStreaming,
  type Database,
  type DriverConnection,
  type Statement,
} from "./database.ts";
import { createTurnLimiter } from "./event-loop-turns.ts";
import type { Schema } from "./schema.ts";
import { createWriteAheadLog, maxLogPages } from "./write-ahead-log.ts";

/** The database file exists or existed, but is not usable. Thrown before anything is changed. */
export class DamagedDatabaseError extends OperatorError {
  override readonly name = "DamagedDatabaseError";
}

/** How long statements wait while another process is writing. */
const busyTimeoutMs = 4000;

/** Larger files are not checked in full at startup, because the check would take too long. */
const fullCheckBytes = 128 * 1024 * 1024;

/** Lets `createConnectionSlots` limit the connections instead of Kysely, whose queue has one line for all users. */
class UnlimitedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Opens two connections. Users take turns for the writing connection. Prepared reads use the second connection, so they
 * do not wait for an open transaction and see only committed data.
 */
export function openSqlite(path: string): Database {
  const writer = openVerifiedFile(path);
  const reader = new DatabaseSync(path, { timeout: busyTimeoutMs });
  reader.exec("PRAGMA query_only = ON");

  // `retryWhileBusy` waits from here on: SQLite's own wait would block the event loop.
  // `log` syncs commits and copies the log.
  writer.exec(`PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${maxLogPages}`);

  const log = createWriteAheadLog(path, writer);
  const waitForTurn = createTurnLimiter();
  const retryWhileBusy = createRetrier();
  const prepareWrite = createStatementCache(writer);
  const prepareRead = createStatementCache(reader);
  const acquireWriter = createConnectionSlots(1);
  const connection: Omit<DriverConnection, "release"> = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      // On a full disk SQLite rolls back by itself. A second rollback would fail and hide the original error.
      if (query.sql === "rollback" && !writer.isTransaction) return { rows: [] };
      const result = await retryWhileBusy(query.sql, () =>
        translateErrors(() => prepareWrite(query.sql).execute<Row>(query.parameters)),
      );
      if (!writer.isTransaction && !isSelect(query.sql)) {
        log.copyIfLong();
        await log.sync().catch(throwUnavailable);
      }
      await waitForTurn();
      return result;
    },
    streamQuery: rejectStreaming,
  };
  const q = new Kysely<Schema>({
    dialect: createDialect({
      acquire: async () => ({ ...connection, release: await acquireWriter() }),
      // A deferred transaction that reads before it writes fails if another process writes in between.
      beginSql: "begin immediate",
      base: {
        createAdapter: () => new UnlimitedAdapter(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
  });

  const compile = ({ sqliteSql }: Statement<unknown>, params: readonly unknown[]): CompiledQuery =>
    CompiledQuery.raw(sqliteSql, [...params]);

  return createDatabase({
    name: "sqlite",
    q,
    runPrepared: async (statement, params) => {
      const sql = statement.sqliteSql;
      if (/^(INSERT|UPDATE|DELETE)/.test(sql)) return (await q.executeQuery(compile(statement, params))).rows;
      const rows = translateErrors(() => prepareRead(sql).readRows(params));
      await waitForTurn();
      return rows;
    },
    compile,
    isRetryable: () => false, // `begin immediate` already waits for the write lock
    close: async () => {
      await q.destroy();
      await log.close();
      reader.close();
      writer.close();
    },
  });
}

function openVerifiedFile(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    const size = statSync(path).size;
    const isDamaged = size > 0 && size <= fullCheckBytes && readFirstValue(db, "PRAGMA quick_check(1)") !== "ok";
    if (isDamaged) throw new Error("its integrity check failed");
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw error; // the caller retries
    const reason = error instanceof Error ? error.message : String(error);
    throw new DamagedDatabaseError(`The database ${path} is not usable: ${reason}. Nothing was changed.`);
  }
}

function readFirstValue(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}

interface PreparedStatement {
  readRows(params: readonly unknown[]): Record<string, unknown>[];
  execute<Row>(params: readonly unknown[]): QueryResult<Row>;
}

/**
 * Reads rows as arrays, because the objects that node:sqlite returns are dictionaries, which take V8 twice as long to
 * create and read. If a newer process adds a column to a table, it comes last in `*` and is ignored; `x.*` must therefore
 * be the last in its list.
 */
function prepare(db: DatabaseSync, sql: string): PreparedStatement {
  if (/\.\*\s*,/.test(sql)) throw new Error(`other columns follow all columns of a table: ${sql}`);
  const nativeStatement = db.prepare(sql);
  nativeStatement.setReturnArrays(true);
  const columns = nativeStatement.columns().map(({ name }) => name);
  const readRow = createRowReader(columns);
  const toValues = (params: readonly unknown[]) => params.map(toColumnValue) as SQLInputValue[];
  const readRows = (params: readonly unknown[]): Record<string, unknown>[] =>
    (nativeStatement.all(...toValues(params)) as unknown as unknown[][]).map(readRow);

  return {
    readRows,
    execute<Row>(params: readonly unknown[]): QueryResult<Row> {
      if (columns.length > 0) return { rows: readRows(params) as Row[] };
      return { rows: [], numAffectedRows: BigInt(nativeStatement.run(...toValues(params)).changes) };
    },
  };
}

/** Compiles each statement once. Only `IN` lists of varying length can fill the cache. */
function createStatementCache(db: DatabaseSync): (sql: string) => PreparedStatement {
  const cache = new Map<string, PreparedStatement>();
  return (sql) => {
    const cachedEntry = cache.get(sql);
    if (cachedEntry) return cachedEntry;
    if (cache.size >= 500) cache.clear();
    const newEntry = prepare(db, sql);
    cache.set(sql, newEntry);
    return newEntry;
  };
}

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = getSqliteCode(error);
    // SQLITE_READONLY, IOERR, CORRUPT, FULL, CANTOPEN: the file is not usable and the statement had no effect.
    if (code !== undefined && [8, 10, 11, 13, 14].includes(code)) {
      throw unavailableError(error);
    }
    throw error;
  }
}

/**
 * Retries statements while another process holds the write lock. Statements queue for the one writing connection. They
 * share one timeout, which starts with the first statement that waits, so that the last in the queue does not wait for
 * the timeouts of all others.
 */
function createRetrier(): <T>(sql: string, work: () => T) => Promise<T> {
  let busySince = -Infinity;
  let lastBusyAt = -Infinity;
  return async (sql, work) => {
    for (;;) {
      try {
        const result = work();
        // A read proves nothing: it succeeds even while the file is locked.
        if (!isSelect(sql)) lastBusyAt = -Infinity;
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        const now = performance.now();
        if (now - lastBusyAt > 1000) busySince = now; // the previous busy period is over
        lastBusyAt = now;
        if (now - busySince > busyTimeoutMs) throw unavailableError(error);
      }
      await sleep(2 + Math.random() * 10);
    }
  };
}

const isSelect = (sql: string): boolean => /^\s*select/i.test(sql);

function unavailableError(cause: unknown): AppError {
  return new AppError("storage_unavailable:database", undefined, { retryAfter: 5, cause });
}

function throwUnavailable(cause: unknown): never {
  throw unavailableError(cause);
}

/** SQLITE_BUSY: another process is writing. */
export const isBusy = (error: unknown): boolean => getSqliteCode(error) === 5;

/** The primary result code: the low byte of an extended result code. */
function getSqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}
