import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { createAuthenticator } from "#auth/authenticate.ts";
import { openDatabase } from "#db/open-database.ts";
import { resolveTokenQuery } from "#db/tokens.ts";
import type { Database } from "#db/client.ts";
import { sha256 } from "#lib/digest.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createDeps, createTemporaryDatabase, silentLog, type EngineName } from "../test/support/engines.ts";
import { newUser, newStudio } from "../test/support/users.ts";
import { createTestGrant, createTestToken } from "../test/support/tokens.ts";

/**
 * What it costs to know whose token it is, beside one bare prepared statement on the same rows.
 *   node bench/auth.ts [sqlite] [postgres] [--quick]
 */

const args = new Set(process.argv.slice(2));
const rounds = args.has("--quick") ? 8 : 30;
const validations = 4000;
const people = 300;
const tokensEach = 10;

/** The least that can be asked: the holder, where the grant acts, and with what role; no second choice of a studio. */
const minimalSql = `
  SELECT r.scope, g.id AS grant_id, g.client_id, g.client_name, g.studio_id, g.last_used_at, u.id AS user_id, u.name, u.email,
         m.role, s.name AS studio_name
    FROM oauth_records r
    JOIN grants g ON g.id = r.grant_id AND g.revoked_at IS NULL
    JOIN users u ON u.id = g.user_id
    JOIN memberships m ON m.user_id = u.id AND m.studio_id = g.studio_id
    JOIN studios s ON s.id = m.studio_id
   WHERE r.model = 'AccessToken' AND r.id_hash = $1 AND r.audience = $2 AND r.expires_at > $3`;

type RunQuery = (params: unknown[]) => Promise<unknown>;

/** The engine's own driver and nothing of ours. */
async function openBareDatabase(
  engine: EngineName,
  location: { databaseUrl: string | undefined; dataDir: string },
): Promise<{ prepare: (name: string, sql: string) => RunQuery; close: () => Promise<void> }> {
  if (engine === "sqlite") {
    const db = new DatabaseSync(`${location.dataDir}/atelier.db`, { readOnly: true });
    return {
      prepare: (_name, sql) => {
        const prepared = db.prepare(sql.replaceAll(/\$\d/g, "?"));
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

/** In turns, so that whatever else the machine does falls on all; the quietest round of each counts. */
async function measure(
  candidates: Record<string, (i: number) => Promise<unknown>>,
  parallel: number,
): Promise<Record<string, Measurement>> {
  const measurements = Object.fromEntries(
    Object.keys(candidates).map((name) => [name, { cpuMicros: Infinity, perSecond: 0 }]),
  );
  for (let round = -5; round < rounds; round++) {
    for (const [name, validate] of Object.entries(candidates)) {
      const cpu = process.cpuUsage();
      const started = performance.now();
      let next = 0;
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          while (next < validations) if (!(await validate(next++))) throw new Error(`${name} does not know its token`);
        }),
      );
      const seconds = (performance.now() - started) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      const best = measurements[name];
      if (round < 0 || !best) continue;
      best.cpuMicros = Math.min(best.cpuMicros, (user + system) / validations);
      best.perSecond = Math.max(best.perSecond, validations / seconds);
    }
  }
  return measurements;
}

/** One line a measure: what, ours, the limit, the peer, and ours in terms of the peer's. */
function printLine(label: string, ours: number, limit: string, peer: string, theirs: number, unit: string): void {
  process.stdout.write(
    `${label.padEnd(44)} ours ${ours.toFixed(1).padStart(8)} ${unit}   limit ${limit.padStart(6)}   ${peer.padEnd(22)} ${theirs.toFixed(1).padStart(8)} ${unit}   ${(ours / theirs).toFixed(2)} x\n`,
  );
}

/** The database, with every statement that leaves for it counted. */
function countStatements(database: Database): { database: Database; sent: () => number } {
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
    database: { ...database, q, run: (selectedEngines, params) => count(database.run(selectedEngines, params)) },
    sent: () => statements,
  };
}

async function compare(engine: EngineName, server: string | undefined): Promise<void> {
  const location = await createTemporaryDatabase(engine, server);
  const { database, sent } = countStatements(await openDatabase({ ...location, log: silentLog }));
  const now = Date.now();
  const deps = createDeps(database, () => now);
  const tokens: string[] = [];
  for (let i = 0; i < people; i++) {
    const person = await newUser(deps);
    for (const name of ["One", "Two", "Three"]) await newStudio(deps, person, name);
    const { grantId, token } = await createTestGrant(deps, person);
    tokens.push(token);
    for (let tokenNumber = 1; tokenNumber < tokensEach; tokenNumber++)
      tokens.push(await createTestToken(deps, grantId));
  }
  if (engine === "postgres") await database.run({ name: "analyze", sql: "ANALYZE" }, []);
  const bare = await openBareDatabase(engine, location);
  try {
    const authenticate = createAuthenticator(deps, silentLog);
    const pickToken = (i: number): string => tokens[(i * 7919) % tokens.length] ?? ""; // all of them, in no order
    const audience = `${deps.base}/mcp`;
    const [same, least] = [bare.prepare("same", resolveTokenQuery.sql), bare.prepare("least", minimalSql)];
    const hashes = new Map(tokens.map((token) => [token, sha256(token)]));
    for (let i = 0; i < tokens.length; i++) await authenticate(pickToken(i), undefined); // the first use of each grant is noted
    await new Promise((resolve) => setTimeout(resolve, 200));

    const before = sent();
    for (let i = 0; i < 1000; i++) await authenticate(pickToken(i), undefined);
    printLine(`round trips a validation, ${engine}`, (sent() - before) / 1000, "1", "one statement", 1, "  ");

    const measurements = await measure(
      {
        ours: (i) => authenticate(pickToken(i), undefined),
        "the same SQL, bare": (i) => same([null, hashes.get(pickToken(i)), audience, now]),
        "the least SQL, bare": (i) => least([hashes.get(pickToken(i)), audience, now]),
      },
      engine === "sqlite" ? 1 : 8,
    );
    for (const peer of ["the same SQL, bare", "the least SQL, bare"]) {
      const [ours, theirs] = [measurements["ours"], measurements[peer]];
      if (!ours || !theirs) continue;
      printLine(`CPU a validation, ${engine}`, ours.cpuMicros, "1.50 x", peer, theirs.cpuMicros, "µs");
      printLine(`time a validation, ${engine}`, 1e6 / ours.perSecond, "1.50 x", peer, 1e6 / theirs.perSecond, "µs");
      printLine(`validations a second, ${engine}`, ours.perSecond, "-", peer, theirs.perSecond, "/s");
    }
  } finally {
    await bare.close();
    await database.close();
    await location.remove();
  }
}

const programs = findPostgres();
const requestedEngines = (["sqlite", "postgres"] as const).filter((engine) => args.has(engine));
const selectedEngines = requestedEngines.length > 0 ? requestedEngines : (["sqlite", "postgres"] as const);
const cluster = selectedEngines.includes("postgres") && programs ? await createPostgresCluster(programs) : undefined;
try {
  for (const engine of selectedEngines) {
    if (engine === "postgres" && !cluster) process.stderr.write("PostgreSQL was not found: not measured.\n");
    else await compare(engine, cluster?.url());
  }
} finally {
  await cluster?.remove();
}
