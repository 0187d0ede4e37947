import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, type Kysely } from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#lib/errors.ts";
import type { Schema } from "./schema.ts";

/** The few things a query builder needs of an engine; the rest is the same for both. */
export interface DriverConnection extends DatabaseConnection {
  release(): void;
}

/** A Kysely dialect whose connections come from `acquire` and whose transactions begin with `begin`. */
export function createDialect(options: {
  acquire: () => Promise<DriverConnection>;
  begin: string;
  like: Pick<Dialect, "createAdapter" | "createIntrospector" | "createQueryCompiler">;
}): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: options.acquire,
    beginTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw(options.begin))),
    commitTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw("commit"))),
    rollbackTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw("rollback"))),
    releaseConnection: async (connection) => (connection as DriverConnection).release(),
    destroy: async () => {},
  };
  return {
    createDriver: () => driver,
    createAdapter: () => options.like.createAdapter(),
    createIntrospector: (db) => options.like.createIntrospector(db),
    createQueryCompiler: () => options.like.createQueryCompiler(),
  };
}

export function rejectStreaming(): never {
  throw new Error("queries are not streamed");
}

/** Where statements run: the database itself, or one open transaction. */
export interface Connection {
  /** The query builder. */
  q: Kysely<Schema>;
  /** A statement that was written once and is prepared once: for paths where building a query costs too much. */
  run<Row>(statement: Statement<Row>, params: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Connection {
  readonly engine: "sqlite" | "postgres";
  /**
   * Runs `work` in one transaction, from the start again when the engine asks for it (deadlock, serialization
   * failure, busy file). `work` must touch nothing but its connection.
   */
  transact<T>(work: (tx: Connection) => Promise<T>): Promise<T>;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** SQL with `$1`, `$2`, … in the order of their first appearance, as both engines are given it. */
export interface Statement<Row> {
  readonly name: string;
  readonly sql: string;
  /** Where SQLite needs other words for the same. */
  readonly sqliteSql?: string;
  readonly row?: Row;
}

export function statement<Row>(name: string, sql: string, sqliteSql?: string): Statement<Row> {
  const tidy = (text: string): string => text.trim().replace(/\s+/g, " ");
  return { name, sql: tidy(sql), ...(sqliteSql === undefined ? {} : { sqliteSql: tidy(sqliteSql) }) };
}

/** What the engines differ in, once a query is made. */
export interface Engine {
  name: Database["engine"];
  q: Kysely<Schema>;
  runPrepared(statement: Statement<unknown>, params: readonly unknown[]): Promise<unknown[]>;
  /** The statement as this engine's query builder would spell it. */
  compile(statement: Statement<unknown>, params: readonly unknown[]): CompiledQuery;
  isRetryable(error: unknown): boolean;
  close(): Promise<void>;
}

const maxAttempts = 8;

export function createDatabase(engine: Engine): Database {
  const pingQuery = statement<{ one: number }>("ping", "SELECT 1 AS one");

  const database: Database = {
    engine: engine.name,
    q: engine.q,
    run: (query, params) => engine.runPrepared(query, params) as Promise<never>,
    async transact(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await engine.q.transaction().execute((tx) =>
            work({
              q: tx,
              run: async (query, params) => (await tx.executeQuery(engine.compile(query, params))).rows as never,
            }),
          );
        } catch (error) {
          if (!engine.isRetryable(error)) throw error;
          if (attempt >= maxAttempts) {
            throw new AppError("storage_unavailable:database_busy", undefined, { cause: error });
          }
          await sleep(Math.random() * 10 * 2 ** attempt);
        }
      }
    },
    async ping() {
      await database.run(pingQuery, []);
    },
    close: () => engine.close(),
  };
  return database;
}
