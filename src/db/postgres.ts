import { CompiledQuery, Kysely, PostgresDialect, type QueryResult } from "kysely";
import pg from "pg";
import { hours } from "#lib/clock.ts";
import type { Log } from "#lib/log.ts";
import { createRowReaderCache, toColumnValue } from "./columns.ts";
import { createConnectionSlots } from "./connection-slots.ts";
import { createDatabase, createDialect, rejectStreaming, type Database, type DriverConnection } from "./database.ts";
import {
  getSqlState,
  isConnectionLost,
  isNewConnectionTimeout,
  isPoolTimeout,
  isResponseTimeout,
  isStatementOutdated,
  rethrowDatabaseError,
  StandbyError,
  UnreplicatedCommitError,
} from "./postgres-errors.ts";
import type { Schema } from "./schema.ts";

const maxConnections = 10;
/**
 * Waiting for a connection and running one query take at most 5 s together: up to 3 s longer if a new connection is not
 * established or verified in time and is tried again, and up to 1 s longer to verify a new connection. Each attempt
 * takes up to 2 s longer if the call waits for its turn and then needs a new connection.
 */
const connectTimeoutMs = 2000;
const statementTimeoutMs = 2500;
const queryTimeoutMs = 3000;
const verifyTimeoutMs = 1000;
/** A timeout that fires later than this was late because this process was paused, and does not count. */
const maxTimerDelayMs = 500;
const idleInTransactionTimeoutMs = 10_000;

/** pg returns BIGINT as a string by default. Our times and counts are far below 2^53. */
export const numberTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

interface PostgresOptions {
  url: string;
  log: Log;
  /**
   * Whether transactions of a connection may run in different sessions, behind a pooler in transaction mode. Then
   * nothing may outlive a transaction: neither named statements nor parameters of the session.
   */
  isBehindPooler: boolean;
  /** False only for tests whose outcome must not depend on the speed of the machine. */
  hasTimeLimits?: boolean;
}

interface PooledClient {
  client: pg.PoolClient;
  /** Call once. A lost connection is not used again. */
  release(isLost: boolean): void;
}

export function openPostgres({ url, log, isBehindPooler, hasTimeLimits = true }: PostgresOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    ...(hasTimeLimits ? { connectionTimeoutMillis: connectTimeoutMs, query_timeout: queryTimeoutMs } : {}),
    // PgBouncer rejects connections with these startup parameters.
    ...(isBehindPooler || !hasTimeLimits
      ? {}
      : { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: idleInTransactionTimeoutMs }),
    idleTimeoutMillis: 30_000,
    application_name: "atelier",
    ...(hasTimeLimits ? { verify: rejectStandby } : {}),
    types: numberTypes,
  });
  // Without a listener, the process would crash when the server closes an idle connection.
  pool.on("error", (error) => log.warn({ reason: error.message }, "idle database connection lost"));
  /** Connections whose last commit is not on a standby. */
  const unreplicatedClients = new WeakSet<pg.PoolClient>();
  /** Connections opened since a query last got no response. Older ones may be to a server that no longer exists. */
  let currentClients = new WeakSet<pg.PoolClient>();
  pool.on("connect", (client) => {
    currentClients.add(client);
    // The pool only handles errors of idle connections. Errors of a connection in use also reject its running query.
    client.on("error", () => {});
    client.on("notice", (notice) => void (isUnreplicatedCommit(notice) && unreplicatedClients.add(client)));
  });

  const acquireSlot = createConnectionSlots(maxConnections, hasTimeLimits ? connectTimeoutMs : hours(1));

  const connect = async (canRetry = true): Promise<PooledClient> => {
    for (;;) {
      const startedAt = performance.now();
      try {
        const pooledClient = await takeFromPool();
        if (currentClients.has(pooledClient.client)) return pooledClient;
        pooledClient.release(true);
      } catch (error) {
        const wasPaused = performance.now() - startedAt > connectTimeoutMs + maxTimerDelayMs;
        // On a busy machine, a new connection can take longer than an old one takes to become free.
        const isNewConnectionTooSlow = isNewConnectionTimeout(error) || isResponseTimeout(error);
        const canSucceed = isNewConnectionTooSlow || (wasPaused && isPoolTimeout(error));
        return canRetry && canSucceed ? connect(false) : rethrowDatabaseError(error);
      }
    }
  };

  async function takeFromPool(): Promise<PooledClient> {
    const releaseSlot = await acquireSlot();
    try {
      const client = await pool.connect();
      const release = (isLost: boolean): void => {
        client.release(isLost);
        releaseSlot();
      };
      return { client, release };
    } catch (error) {
      releaseSlot();
      throw error;
    }
  }

  /** Names of statements that each connection prepares once. Statements without a name are parsed for each call. */
  const statementNames = new WeakMap<CompiledQuery, string>();
  /** Part of the name of every prepared statement. A higher number makes all connections prepare theirs again. */
  let generation = 0;

  const getRowReader = createRowReaderCache();

  /** Rejects if the server confirms a commit that it would lose in a failover. */
  const query = async (
    client: pg.PoolClient,
    name: string | undefined,
    text: string,
    params: readonly unknown[],
  ): Promise<{ command: string; rowCount: number | null; rows: Record<string, unknown>[] }> => {
    const usedGeneration = generation;
    try {
      const preparedName = name && !isBehindPooler ? `${name}_${usedGeneration}` : undefined;
      const values = params.map(toColumnValue);
      const result = await client.query<unknown[]>({ name: preparedName, text, values, rowMode: "array" });
      if (unreplicatedClients.has(client)) throw new UnreplicatedCommitError();
      // For several statements, pg returns an array of results, which its types omit. Those statements return no rows.
      if (Array.isArray(result)) return { command: "", rowCount: 0, rows: [] };
      const { command, rowCount, fields, rows } = result;
      return { command, rowCount, rows: fields.length === 0 ? [] : rows.map(getRowReader(text, fields)) };
    } catch (error) {
      if (isResponseTimeout(error)) currentClients = new WeakSet();
      if (isStatementOutdated(error)) generation = Math.max(generation, usedGeneration + 1);
      throw error;
    }
  };

  const acquire = async (): Promise<DriverConnection> => {
    const { client, release } = await connect();
    let connectionError: unknown;
    return {
      async executeQuery<Row>(compiledQuery: CompiledQuery): Promise<QueryResult<Row>> {
        // Do not send a rollback on a lost connection: it would only time out again.
        if (connectionError !== undefined) return rethrowDatabaseError(connectionError);
        try {
          const { sql, parameters } = compiledQuery;
          const name = statementNames.get(compiledQuery);
          const { command, rowCount, ...result } = await query(client, name, sql, parameters);
          const rows = result.rows as Row[];
          return /^(INSERT|UPDATE|DELETE)$/.test(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
        } catch (error) {
          if (isConnectionLost(error)) connectionError = error;
          return rethrowDatabaseError(error);
        }
      },
      streamQuery: rejectStreaming,
      release: () => release(connectionError !== undefined),
    };
  };
  const q = new Kysely<Schema>({
    dialect: createDialect({
      acquire,
      beginSql: isBehindPooler ? beginWithTimeoutsSql : "begin",
      base: new PostgresDialect({ pool }),
    }),
  });

  return createDatabase({
    name: "postgres",
    q,
    runPrepared: async ({ name, sql }, params) => {
      const { client, release } = await connect();
      const run = () => query(client, name, sql, params);
      const retryIfOutdated = (error: unknown) => {
        if (!isStatementOutdated(error)) throw error;
        return run();
      };
      let isLost = false;
      try {
        return (await run().catch(retryIfOutdated)).rows;
      } catch (error) {
        isLost = isConnectionLost(error);
        return rethrowDatabaseError(error);
      } finally {
        release(isLost);
      }
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

/** Sent as one message, so that the timeouts need no other round trip. */
const beginWithTimeoutsSql =
  `begin; set local statement_timeout = ${statementTimeoutMs}; ` +
  `set local idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`;

/**
 * Accepts a new connection only if it is to the primary. During a failover, a load balancer may still choose a server
 * that has become a standby, which would return old data.
 */
function rejectStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  // The type definitions lack this option.
  const query = { text: "SELECT pg_is_in_recovery() AS standby", query_timeout: verifyTimeoutMs } as pg.QueryConfig;
  client.query<{ standby: boolean }>(query, (error: Error | null, result) => {
    done(error ?? (result.rows[0]?.standby ? new StandbyError() : undefined));
  });
}

/**
 * If a commit's wait for the synchronous standby is canceled, the server reports success and adds this warning. Compares
 * the name of the C function, because the warning has no code of its own and its text depends on the server's language.
 */
const isUnreplicatedCommit = ({ routine }: { routine?: string | undefined }): boolean =>
  routine === "SyncRepWaitForLSN";
