import { CompiledQuery, Kysely, SqliteDialect, type QueryResult } from "kysely";
import { statSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, OperatorError } from "#lib/errors.ts";
import {
  createDatabase,
  createDialect,
  rejectStreaming,
  type Database,
  type DriverConnection,
  type Statement,
} from "./client.ts";
import type { Schema } from "./schema.ts";

/** A file that lies here but cannot be trusted. Nothing was changed. */
export class DamagedDatabaseError extends OperatorError {
  override readonly name = "DamagedDatabaseError";
}

/** How long statements wait for another process that is writing. */
const busyTimeoutMs = 4000;

/** Files up to this size are read whole at start; above it that would take longer than a start may. */
const fullCheckBytes = 128 * 1024 * 1024;

/**
 * One writing connection, whose transactions queue inside the query builder, and one that reads committed
 * state beside it: prepared reads neither wait for an open transaction nor see into it.
 */
export function openSqlite(path: string): Database {
  const writer = openVerified(path);
  const reader = new DatabaseSync(path, { timeout: busyTimeoutMs });
  reader.exec("PRAGMA query_only = ON");

  // From here on waiting is ours: SQLite's own would hold up every request of the process.
  writer.exec("PRAGMA busy_timeout = 0");

  const retryWhileBusy = createRetrier();
  const prepareWrite = createStatementCache(writer);
  const prepareRead = createStatementCache(reader);
  const connection: DriverConnection = {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      // A full disk ends the transaction by itself; a rollback would then fail, and hide why.
      if (query.sql === "rollback" && !writer.isTransaction) return { rows: [] };
      return retryWhileBusy(query.sql, () =>
        translateErrors(() => execute<Row>(prepareWrite(query.sql), query.parameters)),
      );
    },
    streamQuery: rejectStreaming,
    release: () => {},
  };
  const q = new Kysely<Schema>({
    dialect: createDialect({
      acquire: async () => connection,
      // A transaction that reads first and writes later would fail where another process wrote in between.
      begin: "begin immediate",
      like: new SqliteDialect({ database: async () => Promise.reject(new Error("unused")) }),
    }),
  });

  return createDatabase({
    name: "sqlite",
    q,
    runPrepared: async (statement, params) => {
      const { sql, order } = toPositional(statement);
      return translateErrors(() => prepareRead(sql).all(...order.map((i) => params[i] as SQLInputValue)));
    },
    compile: (statement, params) => {
      const { sql, order } = toPositional(statement);
      return CompiledQuery.raw(
        sql,
        order.map((i) => params[i]),
      );
    },
    isRetryable: () => false, // who waits for the file waits before the transaction begins
    close: async () => {
      await q.destroy();
      reader.close();
      writer.close();
    },
  });
}

function openVerified(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
    const size = statSync(path).size;
    const isDamaged = size > 0 && size <= fullCheckBytes && firstValue(db, "PRAGMA quick_check(1)") !== "ok";
    if (isDamaged) throw new Error("its pages do not fit together");
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; SELECT count(*) FROM sqlite_schema");
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw error; // in use is not damaged
    const reason = error instanceof Error ? error.message : String(error);
    throw new DamagedDatabaseError(`The database ${path} cannot be used: ${reason}. Nothing was changed.`);
  }
}

function firstValue(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}

function execute<Row>(prepared: StatementSync, params: readonly unknown[]): QueryResult<Row> {
  const values = params as SQLInputValue[];
  if (prepared.columns().length > 0) return { rows: prepared.all(...values) as Row[] };
  return { rows: [], numAffectedRows: BigInt(prepared.run(...values).changes) };
}

/** Statements are few and come again: each is compiled once. Only lists of varying length fill the cache. */
function createStatementCache(db: DatabaseSync): (sql: string) => StatementSync {
  const cache = new Map<string, StatementSync>();
  return (sql) => {
    const cachedEntry = cache.get(sql);
    if (cachedEntry) return cachedEntry;
    if (cache.size >= 500) cache.clear();
    const newEntry = db.prepare(sql);
    cache.set(sql, newEntry);
    return newEntry;
  };
}

const positionalCache = new WeakMap<Statement<unknown>, { sql: string; order: number[] }>();

/** `$2 … $1` as SQLite takes it: `? … ?`, with the order in which the values are given. */
function toPositional(statement: Statement<unknown>): { sql: string; order: number[] } {
  const cachedEntry = positionalCache.get(statement);
  if (cachedEntry) return cachedEntry;
  const order: number[] = [];
  const sql = (statement.sqliteSql ?? statement.sql).replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return "?";
  });
  const newEntry = { sql, order };
  positionalCache.set(statement, newEntry);
  return newEntry;
}

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = sqliteCode(error);
    // SQLITE_IOERR, CORRUPT, FULL, CANTOPEN, READONLY: the file is gone, full or broken; the request did not happen.
    if (code !== undefined && [8, 10, 11, 13, 14].includes(code)) {
      throw unavailableError(error);
    }
    throw error;
  }
}

/**
 * Repeats what finds the file taken, until it is free or the file has been taken for too long. Statements queue for the
 * one writing connection, so the time is counted from the first that had to wait: the last in the queue fails no later.
 */
function createRetrier(): <T>(sql: string, work: () => T) => Promise<T> {
  let busySince = -Infinity;
  let lastBusyAt = -Infinity;
  return async (sql, work) => {
    for (;;) {
      try {
        const result = work();
        if (!/^\s*select/i.test(sql)) lastBusyAt = -Infinity; // reading works beside any writer and proves nothing
        return result;
      } catch (error) {
        if (!isBusy(error)) throw error;
        const now = performance.now();
        if (now - lastBusyAt > 1000) busySince = now; // nobody has asked for a while: this is another time
        lastBusyAt = now;
        if (now - busySince > busyTimeoutMs) throw unavailableError(error);
      }
      await sleep(2 + Math.random() * 10);
    }
  };
}

function unavailableError(cause: unknown): AppError {
  return new AppError("storage_unavailable:database", undefined, { cause });
}

/** SQLITE_BUSY: another process is writing. */
export const isBusy = (error: unknown): boolean => sqliteCode(error) === 5;

/** The primary result code; the extended ones carry it in their low byte. */
function sqliteCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}
