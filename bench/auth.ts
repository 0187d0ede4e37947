import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { createAuthenticator } from "#auth/authenticate.ts";
import { openDatabase } from "#db/open-database.ts";
import { resolveTokenQuery } from "#db/authority.ts";
import { statement, type Database } from "#db/database.ts";
import { sha256 } from "#lib/digest.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { createReport } from "./report.ts";
import { newUser, newStudio } from "../test/support/users.ts";
import { createTestGrant, createTestToken } from "../test/support/tokens.ts";

/**
 * Measures authenticating a token, compared with one bare prepared statement on the same rows.
 *   node bench/auth.ts [sqlite] [postgres] [--quick]
 */

const args = new Set(process.argv.slice(2));
const isQuick = args.has("--quick");
const [warmUpRounds, rounds] = isQuick ? [3, 6] : [5, 30];
const validationCount = isQuick ? 2000 : 4000;
const userCount = isQuick ? 100 : 300;
const tokensPerUser = 10;

/** The minimal query: user, grant, studio and role, without the fallback to the user's first studio. */
const minimalSql = `
  SELECT r.scope, g.id AS grant_id, g.client_id, g.client_name, g.studio_id, g.last_used_at, u.id AS user_id, u.name, u.email,
         m.role, s.name AS studio_name
    FROM oauth_records r
    JOIN grants g ON g.id = r.grant_id AND g.revoked_at IS NULL
    JOIN users u ON u.id = g.user_id
    JOIN memberships m ON m.user_id = u.id AND m.studio_id = g.studio_id
    JOIN studios s ON s.id = m.studio_id
   WHERE r.model = 'AccessToken' AND r.id_hash = $1 AND r.audience = $2 AND r.expires_at > $3`;

type Query = (params: unknown[]) => Promise<unknown>;

/** Opens the database with the engine's driver, without our code. */
async function openBareDatabase(
  engine: EngineName,
  location: { databaseUrl: string | undefined; dataDir: string },
): Promise<{ prepare: (name: string, sql: string) => Query; close: () => Promise<void> }> {
  if (engine === "sqlite") {
    const db = new DatabaseSync(`${location.dataDir}/atelier.db`, { readOnly: true });
    return {
      prepare: (_name, sql) => {
        const prepared = db.prepare(sql.replaceAll(/\$(\d)/g, "?$1"));
        return async (params) => prepared.get(...(params as string[]));
      },
      close: async () => db.close(),
    };
  }
  const pool = new pg.Pool({ connectionString: location.databaseUrl, max: 10 });
  return {
    prepare: (name, text) => async (values) => (await pool.query({ name, text, values })).rows[0] as unknown,
    close: () => pool.end(),
  };
}

interface Measurement {
  cpuMicros: number;
  perSecond: number;
}

/** Measures in alternating rounds, so that other load affects all validators. Returns the best round of each. */
async function measure(
  validators: Record<string, (i: number) => Promise<unknown>>,
  concurrency: number,
): Promise<Record<string, Measurement>> {
  const bestMeasurements = Object.fromEntries(
    Object.keys(validators).map((name) => [name, { cpuMicros: Infinity, perSecond: 0 }]),
  );
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const [name, validate] of Object.entries(validators)) {
      const cpuBefore = process.cpuUsage();
      const startedAt = performance.now();
      let next = 0;
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          while (next < validationCount)
            if (!(await validate(next++))) throw new Error(`${name} rejected a valid token`);
        }),
      );
      const seconds = (performance.now() - startedAt) / 1000;
      const { user, system } = process.cpuUsage(cpuBefore);
      const bestSoFar = bestMeasurements[name];
      if (round < 0 || !bestSoFar) continue;
      bestSoFar.cpuMicros = Math.min(bestSoFar.cpuMicros, (user + system) / validationCount);
      bestSoFar.perSecond = Math.max(bestSoFar.perSecond, validationCount / seconds);
    }
  }
  return bestMeasurements;
}

/** The maximum ratios: what was measured plus noise, so that a regression of 15 % fails (docs/performance.md). */
const limits = {
  sqlite: { "the same SQL, bare": 1.32, "the minimal SQL, bare": 1.55 },
  postgres: { "the same SQL, bare": 1.4, "the minimal SQL, bare": 1.6 },
} as const;

const report = createReport({ fractionDigits: 1 });
const { printLine } = report;

/** Wraps the database so that every statement sent to it is counted. */
function countStatements(database: Database): { database: Database; getCount: () => number } {
  let statements = 0;
  const count = <T>(work: T): T => {
    statements++;
    return work;
  };
  const q = database.q.withPlugin({
    transformQuery: ({ node }) => count(node),
    transformResult: async ({ result }) => result,
  });
  return {
    database: { ...database, q, run: (query, params) => count(database.run(query, params)) },
    getCount: () => statements,
  };
}

async function compare(engine: EngineName, postgresUrl: string | undefined): Promise<void> {
  const location = await createTemporaryDatabase(engine, postgresUrl);
  const { database, getCount } = countStatements(await openDatabase({ ...location, log: silentLog }));
  const now = Date.now();
  const deps = createDeps(database, () => now);
  const tokens: string[] = [];
  for (let i = 0; i < userCount; i++) {
    const signedInUser = await newUser(deps);
    for (const name of ["One", "Two", "Three"]) await newStudio(deps, signedInUser, name);
    const { grantId, token } = await createTestGrant(deps, signedInUser);
    tokens.push(token);
    for (let nth = 1; nth < tokensPerUser; nth++) tokens.push(await createTestToken(deps, grantId));
  }
  if (engine === "postgres") await database.run(statement("ANALYZE"), []);
  const bareDatabase = await openBareDatabase(engine, location);
  try {
    const authenticate = createAuthenticator(deps, silentLog);
    const getToken = (i: number): string => tokens[(i * 7919) % tokens.length] ?? ""; // in a scattered order
    const audience = `${deps.baseUrl}/mcp`;
    const [runSameSql, runMinimalSql] = [
      bareDatabase.prepare("same", resolveTokenQuery.sql),
      bareDatabase.prepare("minimal", minimalSql),
    ];
    const hashes = new Map(tokens.map((token) => [token, sha256(token)]));
    // The first use of each grant writes a row, so use each once before measuring.
    for (let i = 0; i < tokens.length; i++) await authenticate(getToken(i), undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));

    const before = getCount();
    for (let i = 0; i < 1000; i++) await authenticate(getToken(i), undefined);
    printLine(`round trips per validation, ${engine}`, (getCount() - before) / 1000, 1, "one statement", 1, "  ");

    const measurements = await measure(
      {
        ours: (i) => authenticate(getToken(i), undefined),
        "the same SQL, bare": (i) => runSameSql([null, hashes.get(getToken(i)), audience, now]),
        "the minimal SQL, bare": (i) => runMinimalSql([hashes.get(getToken(i)), audience, now]),
      },
      engine === "sqlite" ? 1 : 8,
    );
    for (const baseline of ["the same SQL, bare", "the minimal SQL, bare"] as const) {
      const [ourMeasurement, baselineMeasurement] = [measurements["ours"], measurements[baseline]];
      if (!ourMeasurement || !baselineMeasurement) continue;
      printLine(
        `CPU per validation, ${engine}`,
        ourMeasurement.cpuMicros,
        limits[engine][baseline],
        baseline,
        baselineMeasurement.cpuMicros,
        "µs",
      );
      printLine(
        `time per validation, ${engine}`,
        1e6 / ourMeasurement.perSecond,
        undefined,
        baseline,
        1e6 / baselineMeasurement.perSecond,
        "µs",
      );
      printLine(
        `validations per second, ${engine}`,
        ourMeasurement.perSecond,
        undefined,
        baseline,
        baselineMeasurement.perSecond,
        "/s",
      );
    }
  } finally {
    await bareDatabase.close();
    await database.close();
    await location.remove();
  }
}

const programFolder = findPostgres();
const requestedEngines = (["sqlite", "postgres"] as const).filter((engine) => args.has(engine));
const engines = requestedEngines.length > 0 ? requestedEngines : (["sqlite", "postgres"] as const);
const cluster = engines.includes("postgres") && programFolder ? await createPostgresCluster(programFolder) : undefined;
try {
  for (const engine of engines) {
    if (engine === "postgres" && !cluster) process.stderr.write("Not measured on PostgreSQL: it is not installed.\n");
    else await compare(engine, cluster?.url());
  }
} finally {
  await cluster?.remove();
}
process.exitCode = report.hasExceededLimit ? 1 : 0;
