import packageJson from "../package.json" with { type: "json" };
import { findSettingProblems } from "#app/setting-problems.ts";
import { readProcessConfig, type Config } from "#config/config.ts";
import type { Database } from "#db/database.ts";
import { createStores, openDatabase } from "#db/open-database.ts";
import { openSqliteFile } from "#db/sqlite-file.ts";
import { systemClock } from "#lib/clock.ts";
import { AppError, OperatorError } from "#lib/errors.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { adminHelp, parseAdminCommand, type AdminDeps } from "#ops/admin.ts";
import { formatCheckResult, runDoctor } from "#ops/doctor/doctor.ts";
import { createBackup } from "#ops/backup.ts";
import { createFileReader, exportStudio } from "#ops/export.ts";
import { moveData } from "#ops/move.ts";
import { createProgress } from "#ops/progress.ts";
import { restoreBackup } from "#ops/restore.ts";
import { UsageError } from "#ops/usage-error.ts";
import { openS3Store } from "#storage/s3/s3-store.ts";

/** The operator's commands: `npm run backup`, `restore`, `move`, `export`, `doctor` and `admin`. Each runs in its own process. */

interface Command {
  help: string;
  /** Resolves to the exit code, if it is not 0. */
  run(args: readonly string[]): Promise<void | number>;
}

const commands: Record<string, Command> = {
  backup: {
    help: `npm run backup -- <folder>

  Backs up DATA_DIR to a new folder in <folder>: the database, all asset files and the generated secret. The server can
  keep running. Every file is read back and verified before the backup is complete.
`,
    async run(args) {
      const [targetFolder] = parseArguments(args, "<folder>");
      const config = readProcessConfig();
      assertLocalStorage(config);
      const { path, manifest, hasSecret } = await withProgress((reportProgress) =>
        createBackup({
          dataDir: config.dataDir,
          targetFolder,
          version: packageJson.version,
          clock: systemClock,
          reportProgress,
        }),
      );
      printLine(
        `${path}\n${manifest.files} files, ${formatBytes(manifest.bytes)} of assets, all read back and verified.`,
      );
      printLine(
        hasSecret
          ? "The backup contains the generated secret, which can be used to forge links. Protect it like the server itself."
          : "The backup does not contain SECRETS. Keep a copy of them: without them, links and platform connections stop working.",
      );
      if (manifest.lost.length > 0)
        throw new OperatorError(
          `The backup is complete, but ${manifest.lost.length} files were already missing or damaged on the server: ` +
            `${manifest.lost.slice(0, 10).join(", ")}. Look for them in older backups.`,
        );
    },
  },
  restore: {
    help: `npm run restore -- <backup>

  Verifies a backup and restores it to DATA_DIR, which must be empty or missing. Then start the server.
`,
    async run(args) {
      const [backupFolder] = parseArguments(args, "<backup>");
      const config = readProcessConfig();
      assertLocalStorage(config);
      const { dataDir } = config;
      const { manifest, unapproved } = await withProgress((reportProgress) =>
        restoreBackup({ from: backupFolder, dataDir, reportProgress }),
      );
      printLine(`${unapproved} scheduled publications wait for approval.`);
      printLine(
        `Restored ${dataDir} to its state at ${manifest.madeAt}: ${manifest.files} files, all verified. Start the server.`,
      );
    },
  },
  move: {
    help: `npm run move

  Copies everything in DATA_DIR, the SQLite database and the files, to the PostgreSQL database of DATABASE_URL and the
  bucket of S3_BUCKET. Run it with the settings that the server will use. Stop the server first; the database and the
  bucket must be empty. DATA_DIR is not changed. If the move is interrupted, run the command again.
`,
    async run(args) {
      parseArguments(args);
      // The move migrates the database and then runs one long transaction, so it bypasses a transaction pooler.
      const { dataDir, databaseListenUrl: databaseUrl, storage, secrets } = readProcessConfig();
      if (databaseUrl === undefined || storage.kind !== "s3")
        throw new OperatorError("Set DATABASE_URL, STORAGE=s3 and the S3_… settings to the destination of the move.");
      const files = await openS3Store({ settings: storage, clock: systemClock });
      const moveResult = await withProgress((reportProgress) =>
        moveData({ dataDir, databaseUrl, files, secrets, reportProgress }),
      ).finally(() => files.close());
      for (const { table, rows, checksum } of moveResult.tables) printLine(`${table}  ${rows} rows  ${checksum}`);
      printLine(
        `${moveResult.files} files, ${formatBytes(moveResult.bytes)}, each read back from the bucket and verified.`,
      );
      printLine(
        `Start the server with these settings. ${dataDir} was not changed; keep it until you know that everything works.`,
      );
    },
  },
  export: {
    help: `npm run export -- <studio> [<folder>]

  Writes what a studio contains, without its trash, to a new folder in <folder> (default: the current one): posts,
  revisions, comments and publications as JSON, the files as <assetId>.<extension>, and a manifest with their names.
  <studio> is an id or a slug. The server can keep running.
`,
    async run(args) {
      const [studio, targetFolder] = parseArguments(args.length === 1 ? [...args, "."] : args, "<studio>", "<folder>");
      const { storage, dataDir, ...config } = readProcessConfig();
      const store = storage.kind === "s3" ? await openS3Store({ settings: storage, clock: systemClock }) : undefined;
      const readFile = createFileReader(dataDir, store);
      await withDatabase({ ...config, storage, dataDir }, async ({ database, studios, clock }) => {
        const { path, files, lost } = await withProgress((reportProgress) =>
          exportStudio({ database, studios, readFile, studio, targetFolder, clock, reportProgress }),
        );
        printLine(`${path}\n${files} files.`);
        if (lost.length > 0)
          throw new OperatorError(`These files are missing or damaged, and not in the export: ${lost.join(", ")}.`);
      }).finally(() => store?.close());
    },
  },
  doctor: {
    help: `npm run doctor [-- --json]

  Checks what keeps AI clients from connecting: settings, database, files, clock, and everything between clients and the
  server, through BASE_URL. Run it with the settings of the server, before its first start or while it runs. It changes
  nothing. The exit code is 1 if a check failed. --json prints the result as JSON.
`,
    async run(args) {
      const isJson = args.includes("--json");
      parseArguments(args.filter((arg) => arg !== "--json"));
      const result = await runDoctor({
        readConfig: () => readProcessConfig(findSettingProblems),
        nodeVersion: process.versions.node,
        requiredNodeVersion: packageJson.engines.node.replace(">=", ""),
        onResult: (check) => void (isJson || printLine(formatCheckResult(check))),
      });
      if (isJson) printLine(JSON.stringify(result, undefined, 2));
      return result.ok ? 0 : 1;
    },
  },
  admin: {
    help: adminHelp,
    async run(args) {
      const runAdminCommand = parseAdminCommand(args);
      await withDatabase(readProcessConfig(), (deps) => runAdminCommand(deps, printLine));
    },
  },
};

function assertLocalStorage({ databaseUrl, storage }: Config): void {
  if (databaseUrl === undefined && storage.kind === "disk") return;
  throw new OperatorError(
    "This command supports only SQLite and files on disk. For PostgreSQL, use pg_dump and pg_restore or your " +
      "provider's backups; for S3, use bucket versioning. See docs/deploy.md.",
  );
}

async function withDatabase<T>(
  { databaseUrl, databaseListenUrl, dataDir }: Config,
  work: (deps: AdminDeps & { database: Database }) => Promise<T>,
): Promise<T> {
  // Throws if there is no database. `openDatabase` would create one instead.
  if (databaseUrl === undefined) openSqliteFile(dataDir, { isExclusive: false }).close();
  const database = await openDatabase({ databaseUrl, databaseListenUrl, dataDir, log: createLog("silent") });
  try {
    return await work({
      database,
      ...createStores(database),
      clock: systemClock,
      newId: createIdGenerator(systemClock),
    });
  } finally {
    await database.close();
  }
}

async function withProgress<T>(work: (reportProgress: (text: string) => void) => Promise<T>): Promise<T> {
  const progress = createProgress(process.stderr, () => performance.now());
  return work(progress.report).finally(progress.finish);
}

function parseArguments<Names extends readonly string[]>(
  args: readonly string[],
  ...names: Names
): { [N in keyof Names]: string } {
  const unknownOption = args.find((arg) => arg.startsWith("-"));
  if (unknownOption !== undefined) throw new UsageError(`Unknown option ${unknownOption}.`);
  if (args.length !== names.length)
    throw new UsageError(
      names.length === 0 ? "This command takes no arguments." : `Expected one argument: ${names.join(" ")}.`,
    );
  return args as unknown as { [N in keyof Names]: string };
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints only the message of errors that the operator can fix, and the stack of unexpected ones. */
function formatError(error: unknown): string {
  if (error instanceof AppError) return [error.message, error.hint].filter(Boolean).join(" ");
  if (error instanceof OperatorError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return `${message} (${code})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const command = commands[name];
  if (!command) throw new Error(`unknown command: ${name}`);
  const isHelpRequested = args.includes("--help") || args.includes("-h") || args[0] === "help";
  if (isHelpRequested || (name === "admin" && args.length === 0)) {
    printLine(command.help);
    return 0;
  }
  try {
    return (await command.run(args)) ?? 0;
  } catch (error) {
    process.stderr.write(
      error instanceof UsageError ? `${error.message}\n\n${command.help}` : `${formatError(error)}\n`,
    );
    return error instanceof UsageError ? 2 : 1;
  }
}

process.umask(0o077); // other accounts must not read our files
process.exitCode = await main(process.argv.slice(2));
