import { CompiledQuery, Kysely, PostgresDialect, type QueryResult } from "kysely";
import pg from "pg";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { createDatabase, createDialect, rejectStreaming, type Database, type DriverConnection } from "./client.ts";
import type { Schema } from "./schema.ts";

/** Waiting for a connection and running one query take at most 5 s together. */
const connectTimeoutMs = 2000;
const statementTimeoutMs = 2500;
const queryTimeoutMs = 3000;

export function openPostgres(url: string, log: Log): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
    query_timeout: queryTimeoutMs,
    idleTimeoutMillis: 30_000,
    application_name: "atelier",
    // pg returns BIGINT as a string by default. Our times and counts are far below 2^53.
    types: {
      getTypeParser: (oid, format) =>
        (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  });
  // Without a listener, the process would crash when the server closes an idle connection.
  pool.on("error", (error) => log.warn({ reason: error.message }, "idle database connection lost"));
  // The pool only handles errors of idle connections. Errors of a connection in use also reject its running query.
  pool.on("connect", (client) => void client.on("error", () => {}));

  /** Names of statements that a connection prepares once. Statements without a name are parsed for each call. */
  const statementNames = new WeakMap<CompiledQuery, string>();
  /** Part of every name. A higher number makes all connections prepare their statements again. */
  let generation = 0;

  const query = async <Row extends object>(
    client: Pick<pg.PoolClient, "query">,
    name: string | undefined,
    text: string,
    values: unknown[],
  ): Promise<pg.QueryResult<Row>> => {
    const usedGeneration = generation;
    try {
      return await client.query<Row>({ name: name && `${name}_${usedGeneration}`, text, values });
    } catch (error) {
      if (isStatementOutdated(error)) generation = Math.max(generation, usedGeneration + 1);
      throw error;
    }
  };

  const acquire = async (): Promise<DriverConnection> => {
    const client = await pool.connect().catch(rethrowDatabaseError);
    let connectionError: unknown;
    return {
      async executeQuery<Row>(compiledQuery: CompiledQuery): Promise<QueryResult<Row>> {
        // Do not send a rollback on a lost connection: it would only time out again.
        if (connectionError !== undefined) return rethrowDatabaseError(connectionError);
        try {
          const { sql, parameters } = compiledQuery;
          const { command, rowCount, rows } = await query<Row & object>(
            client,
            statementNames.get(compiledQuery),
            sql,
            [...parameters],
          );
          return /^(INSERT|UPDATE|DELETE)$/.test(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
        } catch (error) {
          if (isConnectionLost(error)) connectionError = error;
          return rethrowDatabaseError(error);
        }
      },
      streamQuery: rejectStreaming,
      release: () => client.release(connectionError !== undefined),
    };
  };
  const q = new Kysely<Schema>({
    dialect: createDialect({ acquire, begin: "begin", base: new PostgresDialect({ pool }) }),
  });

  return createDatabase({
    name: "postgres",
    q,
    runPrepared: async ({ name, sql }, params) => {
      const run = () => query(pool, name, sql, [...params]);
      const retryIfOutdated = (error: unknown) => (isStatementOutdated(error) ? run() : rethrowDatabaseError(error));
      return (await run().catch(retryIfOutdated).catch(rethrowDatabaseError)).rows;
    },
    compile: ({ name, sql }, params) => {
      const compiledQuery = CompiledQuery.raw(sql, [...params]);
      statementNames.set(compiledQuery, name);
      return compiledQuery;
    },
    isRetryable: (error) => ["40001", "40P01"].includes(getSqlState(error) ?? "") || isStatementOutdated(error),
    close: async () => {
      await q.destroy();
      await pool.end();
    },
  });
}

/** Converts a lost connection or an overloaded server to `storage_unavailable`. */
function rethrowDatabaseError(error: unknown): never {
  if (!isConnectionLost(error) && !isOverloaded(error)) throw error;
  throw new AppError("storage_unavailable:database", undefined, { cause: error });
}

/** The connection is unusable: connection refused, reset, shut down or timed out. */
function isConnectionLost(error: unknown): boolean {
  const state = getSqlState(error) ?? "";
  if (/^(08|57P)/.test(state)) return true;
  if (
    ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ENOENT", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH"].includes(
      state,
    )
  )
    return true;
  const message = error instanceof Error ? error.message : "";
  return /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable/.test(
    message,
  );
}

/** The server responds but cannot do the work: statement or lock timeout, too many connections, disk full. */
function isOverloaded(error: unknown): boolean {
  return ["57014", "55P03", "53300", "53100", "53200"].includes(getSqlState(error) ?? "");
}

/**
 * A newer version has added a column to a table since the connection prepared a statement that returns all columns.
 * PostgreSQL checks this before it runs the statement, and rejects it until it is prepared again.
 */
function isStatementOutdated(error: unknown): boolean {
  // The code has other uses, and the message is translated.
  return getSqlState(error) === "0A000" && (error as { routine?: unknown }).routine === "RevalidateCachedQuery";
}

function getSqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
