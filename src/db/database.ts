import {
  CompiledQuery,
  type DatabaseConnection,
  type DeleteQueryBuilder,
  type DeleteResult,
  type Dialect,
  type Driver,
  type ExpressionBuilder,
  type InsertResult,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type UpdateObject,
  type UpdateQueryBuilder,
  type UpdateResult,
} from "kysely";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "#lib/errors.ts";
import { translateNames } from "./columns.ts";
import type { Schema } from "./schema.ts";

/** A connection to SQLite or PostgreSQL, as Kysely's driver uses it. */
export interface DriverConnection extends DatabaseConnection {
  release(): void;
}

/** A Kysely dialect that takes connections from `acquire` and begins transactions with `beginSql`. */
export function createDialect(options: {
  acquire: () => Promise<DriverConnection>;
  beginSql: string;
  base: Pick<Dialect, "createAdapter" | "createIntrospector" | "createQueryCompiler">;
}): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: options.acquire,
    beginTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw(options.beginSql))),
    commitTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw("commit"))),
    rollbackTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw("rollback"))),
    releaseConnection: async (connection) => (connection as DriverConnection).release(),
    destroy: async () => {},
  };
  return {
    createDriver: () => driver,
    createAdapter: () => options.base.createAdapter(),
    createIntrospector: (db) => options.base.createIntrospector(db),
    createQueryCompiler: () => translateNames(options.base.createQueryCompiler()),
  };
}

export function rejectStreaming(): never {
  throw new Error("query streaming is not supported");
}

/** Runs statements, either on the database or in one open transaction. */
export interface Connection {
  readonly engine: "sqlite" | "postgres";
  /** The query builder. */
  q: Kysely<Schema>;
  /** Runs a prepared statement. For hot paths, where building a query with Kysely costs too much. */
  run<Row>(statement: Statement<Row>, params: readonly unknown[]): Promise<Row[]>;
  /** Notifies the listeners of all processes when the transaction commits. On SQLite, processes poll instead. */
  notify(channel: Channel, payload?: string): Promise<void>;
}

/**
 * What processes notify each other of. The payload of `changes` names what changed: a post (`post:<id>`), the platform
 * connections of a studio (`studio:<id>`), the access of a user (`user:<id>`), the subscriptions of an MCP session
 * (`session:<digest>`), that activity was recorded (`activity:<id>:<studio>:<action>:<subject>`), or the notifications of
 * users (`notification:<id>,<id>`).
 */
export type Channel = "publications_due" | "changes";

export interface Database extends Connection {
  /**
   * Runs `work` in one transaction and retries it from the start after a deadlock or a serialization failure.
   * `work` must have no side effects outside its connection.
   */
  transact<T>(work: (tx: Connection) => Promise<T>): Promise<T>;
  /** Resolves when the database responds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * SQL for both engines. `$1`, `$2` and so on are its parameters. The columns of its rows become properties: `studio_id` in
 * SQL is `studioId` in `Row`.
 */
export interface Statement<Row> {
  /** Under which connections to PostgreSQL prepare the statement. */
  readonly name: string;
  readonly sql: string;
  readonly sqliteSql: string;
  readonly row?: Row;
}

const statements = new Map<string, Statement<never>>();

/** The same statement each time for the same SQL, so that it is prepared once. For SQL that stores build. */
export function prepare<Row>(sql: string): Statement<Row> {
  const preparedStatement = statements.get(sql) ?? statement<never>(sql);
  statements.set(sql, preparedStatement);
  return preparedStatement;
}

/** Without booleans: Kysely compares them with IS, which PostgreSQL rejects for the integers that we store. */
type Match<Table extends keyof Schema> = {
  [
    Column in keyof Selectable<Schema[Table]> as boolean extends Selectable<Schema[Table]>[Column] ? never : Column
  ]?: Selectable<Schema[Table]>[Column];
};

/** Selects from the rows that have the values of `match`, where null means NULL. */
export const selectRows = <Table extends keyof Schema>(
  q: Kysely<Schema>,
  table: Table,
  match: Match<Table>,
): SelectQueryBuilder<Schema, Table, object> =>
  q.selectFrom<keyof Schema>(table).where((eb) => eb.and(match as object));

/** Updates the rows that have the values of `match`, where null means NULL. */
export function updateRows<Table extends keyof Schema>(
  q: Kysely<Schema>,
  table: Table,
  match: Match<Table>,
  values: UpdateObject<Schema, Table> | ((eb: ExpressionBuilder<Schema, Table>) => UpdateObject<Schema, Table>),
): UpdateQueryBuilder<Schema, Table, Table, UpdateResult> {
  const query = q.updateTable<keyof Schema>(table).set(values as never);
  return query.where((eb) => eb.and(match as object)) as never;
}

/** Deletes the rows that have the values of `match`, where null means NULL. */
export const deleteRows = <Table extends keyof Schema>(
  q: Kysely<Schema>,
  table: Table,
  match: Match<Table>,
): DeleteQueryBuilder<Schema, Table, DeleteResult> =>
  q.deleteFrom<keyof Schema>(table).where((eb) => eb.and(match as object));

/** The first row of a result, converted; undefined if there is none. */
export async function first<Row, Result>(
  rows: Promise<Row[]>,
  convert: (row: Row) => Result,
): Promise<Result | undefined> {
  const [row] = await rows;
  return row && convert(row);
}

/** Runs a query of the builder whose result does not matter. Use it with `$call`. */
export const execute = async (query: { execute(): Promise<unknown> }): Promise<void> => void (await query.execute());

/** Whether a query of the builder changed a row. Use it with `$call`. */
export const changesRow = async (query: ChangeQuery): Promise<boolean> => (await countChangedRows(query)) > 0;

export async function countChangedRows(query: ChangeQuery): Promise<number> {
  const result = await query.executeTakeFirstOrThrow();
  if ("numUpdatedRows" in result) return Number(result.numUpdatedRows);
  return Number("numDeletedRows" in result ? result.numDeletedRows : result.numInsertedOrUpdatedRows);
}

interface ChangeQuery {
  executeTakeFirstOrThrow(): Promise<InsertResult | UpdateResult | DeleteResult>;
}

let statementCount = 0;

/** `sqlite`: other SQL for SQLite, if the engines need different SQL. */
export function statement<Row>(sql: string, { sqlite = sql }: { sqlite?: string } = {}): Statement<Row> {
  const collapseWhitespace = (text: string): string => text.trim().replace(/\s+/g, " ");
  return {
    name: `s${++statementCount}`,
    sql: collapseWhitespace(sql),
    sqliteSql: collapseWhitespace(sqlite).replace(/\$(\d+)/g, "?$1"),
  };
}

/** A statement with a list, which is passed as a JSON array in `$1`. */
export const listStatement = <Row>(toSql: (list: string) => string): Statement<Row> =>
  statement<Row>(toSql("(SELECT jsonb_array_elements_text(CAST($1 AS jsonb)))"), {
    sqlite: toSql("(SELECT value FROM json_each($1))"),
  });

/** The operations that differ between SQLite and PostgreSQL. */
export interface Engine {
  name: Database["engine"];
  q: Kysely<Schema>;
  runPrepared(statement: Statement<unknown>, params: readonly unknown[]): Promise<unknown[]>;
  /** Compiles a statement to run in a Kysely transaction of this engine. */
  compile(statement: Statement<unknown>, params: readonly unknown[]): CompiledQuery;
  isRetryable(error: unknown): boolean;
  close(): Promise<void>;
}

const maxAttempts = 8;
const notifyQuery = statement("SELECT pg_notify($1, $2)");

export function createDatabase(engine: Engine): Database {
  const pingQuery = statement<{ one: number }>("SELECT 1 AS one");
  const createConnection = (q: Connection["q"], run: Connection["run"]): Connection => ({
    engine: engine.name,
    q,
    run,
    async notify(channel, payload = "") {
      if (engine.name === "postgres") await run(notifyQuery, [channel, payload]);
    },
  });

  const database: Database = {
    ...createConnection(engine.q, (query, params) => engine.runPrepared(query, params) as Promise<never>),
    async transact(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await engine.q
            .transaction()
            .execute((tx) =>
              work(
                createConnection(
                  tx,
                  async (query, params) => (await tx.executeQuery(engine.compile(query, params))).rows as never,
                ),
              ),
            );
        } catch (error) {
          if (!engine.isRetryable(error)) throw error;
          if (attempt >= maxAttempts) {
            throw new AppError("storage_unavailable:database_busy", undefined, { retryAfter: 1, cause: error });
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
