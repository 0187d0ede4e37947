import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigError, readConfig, type Config } from "./config.ts";
import type { Database } from "#db/client.ts";
import { MigrationError } from "#db/migrate.ts";
import { openDatabase } from "#db/open.ts";
import { DamagedDatabaseError } from "#db/sqlite.ts";
import { createStores } from "#db/stores.ts";
import { createPurge } from "#domain/access/purge-expired.ts";
import { unlimited } from "#domain/access/rate-limit.ts";
import type { Deps } from "#domain/deps.ts";
import { withLease } from "#domain/lease.ts";
import { createApi } from "#http/api/app.ts";
import { mountApi } from "#http/api/mount.ts";
import { drain } from "#http/drain.ts";
import { createMetrics } from "#http/metrics.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge } from "#http/server.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { minutes, seconds, systemClock } from "#lib/clock.ts";
import { every, type Repeated } from "#lib/every.ts";
import { createIds } from "#lib/ids.ts";
import { createLog, type Log } from "#lib/log.ts";
import { keepSecret } from "#lib/secret-file.ts";

/** Composition root: the only file that knows everything. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const newId = createIds(systemClock);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  // Made after the database: a folder that holds a secret once held a database too.
  config.secrets ??= [await keepSecret(config.dataDir)];
  const deps: Deps = {
    ...createStores(database),
    ...(config.rateLimits ? {} : { rateLimits: unlimited }),
    clock: systemClock,
    newId,
    newSecret: () => randomBytes(32).toString("base64url"),
    base: config.base,
  };
  // Nobody can sign in yet.
  const sessions = { find: async () => undefined };

  const metrics = createMetrics();
  const edge = createEdge({
    routes: createRoutes({
      base: config.base,
      api: mountApi(createApi({ deps, sessions, log })),
      metrics,
      metricsToken: config.metricsToken,
      needs: [{ name: "database", check: () => database.ping() }],
      webFiles: await loadStaticFiles(join(import.meta.dirname, "../web/dist")),
    }),
    addresses: config,
    metrics,
    newId,
    log,
  });
  leaveOnSignal(edge, database, sweep(deps, log), log);
  await listen(edge, config);
  greet(config, log);
}

/** Each minute one of all instances takes away what has expired. */
function sweep(deps: Deps, log: Log): Repeated {
  const purge = createPurge(deps);
  const holder = deps.newSecret();
  const work = async (): Promise<void> => {
    const end = deps.clock() + seconds(20);
    await purge({ pause: () => sleep(20), isOver: () => deps.clock() >= end });
  };
  return every(minutes(1), "purge", () => withLease(deps, "purge", holder, minutes(3), work), log);
}

function listen(edge: Edge, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    edge.server.once("error", reject);
    edge.server.listen(port, host, () => {
      edge.server.off("error", reject);
      resolve();
    });
  });
}

/** The first signal finishes what was accepted; a second one leaves at once. */
function leaveOnSignal(edge: Edge, database: Database, sweeping: Repeated, log: Log): void {
  let leaving = false;
  const leave = (signal: NodeJS.Signals) => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ signal }, "draining");
    void Promise.all([drain(edge, log), sweeping.stop()])
      .then(() => database.close())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, "could not leave in good order");
          process.exit(1);
        },
      );
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
}

function greet({ base }: Config, log: Log): void {
  if (!process.stdout.isTTY) {
    log.info({ url: base }, `ready: open ${base}`);
    return;
  }
  process.stdout.write(
    `\n  Atelier is ready.\n\n  Open       ${base}\n  Connect    claude mcp add --transport http atelier ${base}/mcp\n  Stop       Ctrl-C\n\n`,
  );
}

/** What a person can mend is said in plain words; anything else is a fault of ours and shows where it happened. */
function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof DamagedDatabaseError || error instanceof MigrationError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `Atelier cannot start: the address is in use (${message}). Set PORT, or stop what listens there.`;
  if (code?.startsWith("E") || /^[0-9A-Z]{5}$/.test(code ?? "")) return `Atelier cannot start: ${message}`;
  return `Atelier cannot start: ${error instanceof Error ? error.stack : String(error)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
