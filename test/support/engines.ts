import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { randomBytes } from "node:crypto";
import { after, before, describe } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { readConfig } from "#config/config.ts";
import type { Database } from "#db/database.ts";
import {
  createStores,
  createWriteStores,
  databaseFileName,
  openDatabase,
  type OpenDatabaseOptions,
} from "#db/open-database.ts";
import { createSandboxStore, type SandboxStore } from "#db/sandbox.ts";
import { createLongWorkQueue } from "#domain/steps/long-work.ts";
import { createImportSlots } from "#domain/model/import-slots.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { createSearchQueue } from "#domain/model/search/search-queue.ts";
import type { WriteStores } from "#domain/ports/write-stores.ts";
import type { JobDeps } from "#domain/ports/deps.ts";
import type { Clock } from "#lib/clock.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import { isLongRun } from "./long-run.ts";
import { createTestClock, type TestClock } from "./clock.ts";
import { createMediaReader } from "#media/media-reader.ts";
import { PublicFetchError } from "#lib/public-fetch.ts";
import { createSigner } from "#lib/signed-token.ts";
import { createVault } from "#lib/vault.ts";
import { createPublisher } from "#connectors/publisher.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import { createTempFolder } from "./temp-folder.ts";
import { createHookedFiles } from "./hooked-files.ts";

export type EngineName = Database["engine"];

/** Identifies a database for `openDatabase`; it need not exist yet. */
export type DatabaseLocation = Pick<
  OpenDatabaseOptions,
  "databaseUrl" | "databaseListenUrl" | "dataDir" | "hasTimeLimits"
>;

export interface TemporaryDatabase extends DatabaseLocation {
  remove(): Promise<void>;
}

/** `writes`: for states that no verb creates. `sandboxStore`: for a service (`startService`). */
export type TestDeps = JobDeps & { writes: WriteStores; sandboxStore: SandboxStore };

/** The fields of `location`, `database` and `deps` are set before the first test of a suite, so only tests and hooks may read them. */
export interface Fixture {
  engine: EngineName;
  location: DatabaseLocation;
  database: Database;
  clock: TestClock;
  deps: TestDeps;
}

export const silentLog = createLog("silent");

/** The engines that this run can test; without PostgreSQL, `npm test` reports what was not tested. */
export function listEngines(): EngineName[] {
  if (process.env["TEST_POOLER_URL"]) return ["postgres"]; // `npm test -- --pgbouncer`
  return process.env["TEST_DATABASE_URL"] ? ["sqlite", "postgres"] : ["sqlite"];
}

/** The `skip` option of a test that needs PostgreSQL: false if this run has a server. */
export const skipWithoutPostgres: string | false = !listEngines().includes("postgres") && "not available: PostgreSQL";

/** The engines for a suite that does not test the database: one in a short run, all in a long run. */
export function listOneEngine(): EngineName[] {
  return isLongRun ? listEngines() : listEngines().slice(-1);
}

/** Defines the same suite for each engine, on a new database that is deleted afterwards. Skips engines that this run lacks. */
export function forEachEngine(
  name: string,
  define: (fixture: Fixture) => void,
  engines: readonly EngineName[] = listEngines(),
  skip: string | false = false,
): void {
  for (const engine of engines) {
    const skipEngine = !listEngines().includes(engine) && `not available: ${engine}`;
    describe(`${name} (${engine})`, { skip: skip || skipEngine }, () => {
      const clock = createTestClock();
      const fixture = { engine, clock, location: {}, database: {}, deps: {} } as Fixture;
      let location: TemporaryDatabase | undefined;
      let database: Database | undefined;
      before(async () => {
        location = await createTemporaryDatabase(engine);
        // A busy machine may take longer, also to open the database again.
        Object.assign(fixture.location, location, { hasTimeLimits: false });
        database = await openDatabase({ ...fixture.location, log: silentLog });
        Object.assign(fixture.database, database);
        Object.assign(fixture.deps, createDeps(database, clock));
      });
      define(fixture);
      // Hooks run in the order of their definition, and what the suite has started needs the database until it is closed.
      after(async () => {
        await database?.close();
        await location?.remove();
      });
    });
  }
}

/** Like `forEachEngine`, for a suite that does not test the database; see `listOneEngine`. */
export function forOneEngine(name: string, define: (fixture: Fixture) => void, skip: string | false = false): void {
  forEachEngine(name, define, listOneEngine(), skip);
}

export function createDeps(database: Database, clock: Clock): TestDeps {
  return {
    ...createStores(database),
    writes: createWriteStores(database),
    sandboxStore: createSandboxStore(database),
    clock,
    newId: createIdGenerator(clock),
    newSecret: () => randomBytes(32).toString("base64url"),
    baseUrl: "http://localhost:3000",
    uploadPage: "http://localhost:3000",
    limits: readConfig({}).limits,
    signInAllow: ["*"],
    files: createHookedFiles(clock),
    media: createMediaReader(),
    signer: createSigner(["a test secret that is long enough"], clock),
    vault: createVault(["a test secret that is long enough"]),
    openUrl: () => Promise.reject(new Error("this test has no network access")),
    openWebhookUrl: () => Promise.reject(new PublicFetchError("this test has no network access", false)),
    checkWebhookUrl: async () => {},
    importSlots: createImportSlots(),
    textChecks: createTextChecks(),
    searchQueue: createSearchQueue({ sleep: (ms) => sleep(ms), clock }),
    longWork: createLongWorkQueue(),
    platforms: createPlatforms("http://localhost:3000", []),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    publisher: createPublisher({
      setups: [],
      createMediaUrl: () => "",
      openFile: async () => Readable.from([]),
      sleep: (ms) => sleep(ms),
    }),
    wakeWorker: () => {},
    wakeMailSender: () => {},
    mailer: undefined,
    wakeWebhookSender: () => {},
  };
}

/** The settings of a service that uses this database. */
export function getDatabaseSettings({ databaseUrl, databaseListenUrl }: DatabaseLocation): Record<string, string> {
  return {
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...(databaseListenUrl === undefined ? {} : { DATABASE_LISTEN_URL: databaseListenUrl }),
  };
}

/** The URL of a session connection; undefined on SQLite. */
export const getListenUrl = ({ databaseUrl, databaseListenUrl = databaseUrl }: DatabaseLocation): string | undefined =>
  databaseListenUrl;

/** Creates a database for `openDatabase`: with all tables if `npm test` prepared a template, otherwise empty. */
export async function createTemporaryDatabase(
  engine: EngineName,
  server?: string,
  pooler?: string,
): Promise<TemporaryDatabase> {
  const template = server === undefined ? process.env[templateVariables[engine]] : undefined;
  return createDatabase(engine, template, server, pooler);
}

/** Creates an empty PostgreSQL database, or the path of a SQLite data folder that does not exist yet. */
export const createEmptyDatabase = (engine: EngineName): Promise<TemporaryDatabase> =>
  createDatabase(engine, undefined);

/** The name of a PostgreSQL database, or the path of a SQLite file, with all tables and no rows. */
const templateVariables = { postgres: "TEST_POSTGRES_TEMPLATE", sqlite: "TEST_SQLITE_TEMPLATE" } as const;

/** Creates the templates for this run, so that not every suite has to apply every migration. */
export async function createTemplates(): Promise<{ env: Record<string, string>; remove(): Promise<void> }> {
  const locations = await Promise.all(
    listEngines().map(async (engine) => ({ engine, ...(await createEmptyDatabase(engine)) })),
  );
  for (const location of locations) await (await openDatabase({ ...location, log: silentLog })).close();
  const getTemplate = ({ databaseUrl, databaseListenUrl = databaseUrl, dataDir }: DatabaseLocation): string =>
    databaseListenUrl === undefined ? join(dataDir, databaseFileName) : new URL(databaseListenUrl).pathname.slice(1);
  return {
    env: Object.fromEntries(
      locations.map((location) => [templateVariables[location.engine], getTemplate(location)] as const),
    ),
    remove: async () => void (await Promise.all(locations.map((location) => location.remove()))),
  };
}

/** `pooler` is the URL of a pooler in front of `server`. */
async function createDatabase(
  engine: EngineName,
  template: string | undefined,
  server = process.env["TEST_DATABASE_URL"],
  pooler = server === process.env["TEST_DATABASE_URL"] ? process.env["TEST_POOLER_URL"] : undefined,
): Promise<TemporaryDatabase> {
  const folder = createTempFolder();
  if (engine === "sqlite") {
    const dataDir = join(folder.path, "data");
    if (template !== undefined) {
      mkdirSync(dataDir, { mode: 0o700 });
      copyFileSync(template, join(dataDir, databaseFileName));
    }
    return { databaseUrl: undefined, dataDir, remove: async () => folder.remove() };
  }
  if (!server) throw new Error("TEST_DATABASE_URL is not set");
  const name = `atelier_test_${randomBytes(8).toString("hex")}`;
  await runAdminSql(server, `CREATE DATABASE ${name}${template === undefined ? "" : ` TEMPLATE ${template}`}`);
  const getUrl = (base: string): string => Object.assign(new URL(base), { pathname: `/${name}` }).href;
  return {
    databaseUrl: getUrl(pooler ?? server),
    databaseListenUrl: pooler === undefined ? undefined : getUrl(server),
    dataDir: folder.path,
    remove: async () => {
      folder.remove();
      await runAdminSql(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function runAdminSql(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
