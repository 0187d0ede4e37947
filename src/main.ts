import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ConfigError, readConfig, type Config } from "./config.ts";
import { createPeople } from "#auth/people.ts";
import type { Database } from "#db/client.ts";
import { MigrationError } from "#db/migrate.ts";
import { openDatabase } from "#db/open.ts";
import { DamagedDatabaseError } from "#db/sqlite.ts";
import { createStores } from "#db/stores.ts";
import type { Deps } from "#domain/deps.ts";
import { drain } from "#http/drain.ts";
import { createMetrics } from "#http/metrics.ts";
import { renderErrorPage } from "#http/page.ts";
import { createRoutes } from "#http/routes.ts";
import { createEdge, type Edge } from "#http/server.ts";
import { loadStaticFiles } from "#http/static-files.ts";
import { systemClock } from "#lib/clock.ts";
import { createIds } from "#lib/ids.ts";
import { createLog, type Log } from "#lib/log.ts";
import { keepSecret } from "#lib/secret-file.ts";
import { createSigner } from "#lib/signed-token.ts";

/** Composition root: the only file that knows everything. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const newId = createIds(systemClock);
  const database = await openDatabase({ databaseUrl: config.databaseUrl, dataDir: config.dataDir, log });
  // Made after the database: a folder that holds a secret once held a database too.
  const secrets = config.secrets ?? [await keepSecret(config.dataDir)];
  const signer = createSigner(secrets, systemClock);
  const deps: Deps = { ...createStores(database), clock: systemClock, newId, newSecret, base: config.base };
  const people = createPeople({ ...config, deps, signer, log, renderErrorPage });

  const metrics = createMetrics();
  const edge = createEdge({
    routes: createRoutes({
      base: config.base,
      metrics,
      metricsToken: config.metricsToken,
      needs: [{ name: "database", check: () => database.ping() }],
      people: { ...people, base: config.base, loginUrl: config.loginUrl, deps, signer },
      webFiles: await loadStaticFiles(join(import.meta.dirname, "../web/dist")),
    }),
    addresses: config,
    metrics,
    newId,
    log,
  });
  leaveOnSignal(edge, database, log);
  await listen(edge, config);
  greet(config, log);
}

/** 256 bits that nobody can guess. */
function newSecret(): string {
  return randomBytes(32).toString("base64url");
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
function leaveOnSignal(edge: Edge, database: Database, log: Log): void {
  let leaving = false;
  const leave = (signal: NodeJS.Signals) => {
    if (leaving) process.exit(1);
    leaving = true;
    log.info({ signal }, "draining");
    void drain(edge, log)
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
  if (error instanceof ConfigError || error instanceof DamagedDatabaseError || error instanceof MigrationError)
    return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return `Atelier cannot start: the address is in use (${message}). Set PORT, or stop what listens there.`;
  if (code?.startsWith("E") || /^[0-9A-Z]{5}$/.test(code ?? "")) return `Atelier cannot start: ${message}`;
  return `Atelier cannot start: ${error instanceof Error ? error.stack : String(error)}`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
