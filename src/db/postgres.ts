import { CompiledQuery, Kysely, PostgresDialect, type QueryResult } from "kysely";
import pg from "pg";
import { AppError } from "#lib/errors.ts";
import type { Log } from "#lib/log.ts";
import { createDatabase, createDialect, rejectStreaming, type Database, type DriverConnection } from "./client.ts";
import type { Schema } from "./schema.ts";

/** A request waits at most this long for a connection, a lock or an answer; together they stay under 5 s. */
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
    // Times and counts are far below 2^53; as strings they would not compare.
    types: {
      getTypeParser: (oid, format) =>
        (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  });
  // An idle connection that the server closes is no request's fault, and must not end the process.
  pool.on("error", (error) => log.warn({ reason: error.message }, "a database connection was lost"));
  // The pool listens while a connection is idle; while a transaction has it, its statements report the loss.
  pool.on("connect", (client) => void client.on("error", () => {}));

  const acquire = async (): Promise<DriverConnection> => {
    const client = await pool.connect().catch(throwTranslated);
    let connectionError: unknown;
    return {
      async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
        // The rollback of a transaction whose connection is lost: nobody would answer it, and the request would wait twice.
        if (connectionError !== undefined) return throwTranslated(connectionError);
        try {
          const { command, rowCount, rows } = await client.query<Row & object>(query.sql, [...query.parameters]);
          return /^(INSERT|UPDATE|DELETE)$/.test(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
        } catch (error) {
          if (isConnectionLost(error)) connectionError = error;
          return throwTranslated(error);
        }
      },
      streamQuery: rejectStreaming,
      release: () => client.release(connectionError !== undefined),
    };
  };
  const q = new Kysely<Schema>({
    dialect: createDialect({ acquire, begin: "begin", like: new PostgresDialect({ pool }) }),
  });

  return createDatabase({
    name: "postgres",
    q,
    runPrepared: async ({ name, sql }, params) => {
      const { rows } = await pool.query({ name, text: sql, values: params as unknown[] }).catch(throwTranslated);
      return rows as unknown[];
    },
    compile: ({ sql }, params) => CompiledQuery.raw(sql, [...params]),
    isRetryable: (error) => ["40001", "40P01"].includes(sqlState(error) ?? ""),
    close: async () => {
      await q.destroy();
      await pool.end();
    },
  });
}

function throwTranslated(error: unknown): never {
  if (!isConnectionLost(error) && !isOverloaded(error)) throw error;
  throw new AppError("storage_unavailable:database", undefined, { cause: error });
}

/** The connection is of no more use: refused, reset, shut down, or silent for too long. */
function isConnectionLost(error: unknown): boolean {
  const state = sqlState(error) ?? "";
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

/** The server answers, but not in time or not to one more: statement or lock time-out, no slot left, disk full. */
function isOverloaded(error: unknown): boolean {
  return ["57014", "55P03", "53300", "53100", "53200"].includes(sqlState(error) ?? "");
}

function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
