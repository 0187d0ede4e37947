import packageJson from "../package.json" with { type: "json" };
import { readProcessConfig, type Config } from "#config/config.ts";
import { createStores, openDatabase } from "#db/open-database.ts";
import { openSqliteFile } from "#db/sqlite-file.ts";
import { systemClock } from "#lib/clock.ts";
import { AppError, OperatorError } from "#lib/errors.ts";
import { createIdGenerator } from "#lib/ids.ts";
import { createLog } from "#lib/log.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { adminHelp, parseAdminCommand } from "#ops/admin.ts";
import { createBackup } from "#ops/backup.ts";
import { moveData } from "#ops/move.ts";
import { createProgress, UsageError } from "#ops/progress.ts";
import { restoreBackup } from "#ops/restore.ts";
import { openS3Store } from "#storage/s3/s3-store.ts";

/** The operator's commands, each a process of its own: settings and arguments in, what was done out. */

interface Command {
  help: string;
  run(args: readonly string[]): Promise<void>;
}

const commands: Record<string, Command> = {
  backup: {
    help: `npm run backup -- <folder>

  Makes a backup of DATA_DIR in a folder of its own below <folder>: the database, the files of all assets, and the
  generated secret. The service goes on running. Every file is read back and compared before the backup gets its name.
`,
    async run(args) {
      const [targetFolder] = parseArguments(args, "a folder to keep backups in");
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
        `${path}\n${manifest.files} files, ${formatBytes(manifest.bytes)} of assets, all read back and compared.`,
      );
      printLine(
        hasSecret
          ? "It holds the generated secret, with which links can be forged. Keep it as safe as the service itself."
          : "It does not hold SECRETS: keep those as well, or links and platform connections are lost.",
      );
      if (manifest.lost.length > 0)
        throw new OperatorError(
          `The backup is whole, but the service itself has lost ${manifest.lost.length} files, or they are damaged: ` +
            `${manifest.lost.slice(0, 10).join(", ")}. Look for them in older backups.`,
        );
    },
  },
  restore: {
    help: `npm run restore -- <backup>

  Fills DATA_DIR, which must be empty or missing, from a backup, after all of it was read and compared. Then start the
  service.
`,
    async run(args) {
      const [backupFolder] = parseArguments(args, "a backup");
      const config = readProcessConfig();
      assertLocalStorage(config);
      const { dataDir } = config;
      const manifest = await withProgress((reportProgress) =>
        restoreBackup({ from: backupFolder, dataDir, reportProgress }),
      );
      printLine(
        `${dataDir} is as it was at ${manifest.madeAt}: ${manifest.files} files, all compared. Start the service.`,
      );
    },
  },
  move: {
    help: `npm run move

  Moves everything from SQLite and the files in DATA_DIR to the PostgreSQL of DATABASE_URL and the bucket of S3_…, with
  the settings that the service will run with. Both must be empty, and the service stopped. Nothing in DATA_DIR is changed.
  A move that was cut short is begun again with the same command.
`,
    async run(args) {
      parseArguments(args);
      const { dataDir, databaseUrl, storage, secrets } = readProcessConfig();
      if (databaseUrl === undefined || storage.kind !== "s3")
        throw new OperatorError("Set DATABASE_URL and STORAGE=s3 with its S3_… settings: they say where to move to.");
      const files = await openS3Store({ settings: storage, clock: systemClock });
      const moveResult = await withProgress((reportProgress) =>
        moveData({ dataDir, databaseUrl, files, secrets, reportProgress }),
      ).finally(() => files.close());
      for (const { table, rows, checksum } of moveResult.tables) printLine(`${table}  ${rows} rows  ${checksum}`);
      printLine(
        `${moveResult.files} files, ${formatBytes(moveResult.bytes)}, each read back from the bucket and compared.`,
      );
      printLine(
        `Start the service with these settings. ${dataDir} was not changed; keep it until you have seen it work.`,
      );
    },
  },
  admin: {
    help: adminHelp,
    async run(args) {
      const runAdminCommand = parseAdminCommand(args);
      const { databaseUrl, dataDir } = readProcessConfig();
      if (databaseUrl === undefined) openSqliteFile(dataDir, { alone: false }).close(); // refuses where there is none
      const database = await openDatabase({ databaseUrl, dataDir, log: createLog("silent") });
      try {
        const stores = createStores(database);
        await runAdminCommand({ ...stores, clock: systemClock, newId: createIdGenerator(systemClock) }, printLine);
      } finally {
        await database.close();
      }
    },
  },
};

function assertLocalStorage({ databaseUrl, storage }: Config): void {
  if (databaseUrl === undefined && storage.kind === "disk") return;
  throw new OperatorError(
    "This command is for SQLite and files on this machine. With DATABASE_URL use pg_dump and pg_restore, or your " +
      "provider's backups; with STORAGE=s3 versioning of the bucket. docs/deploy.md says how, and in which order.",
  );
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
  if (unknownOption !== undefined) throw new UsageError(`There is no option ${unknownOption}.`);
  if (args.length !== names.length)
    throw new UsageError(names.length === 0 ? "It takes no arguments." : `Name ${names.join(" and ")}.`);
  return args as unknown as { [N in keyof Names]: string };
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What a person can mend is said in plain words; anything else is a fault of ours and shows where it happened. */
function formatError(error: unknown): string {
  if (error instanceof AppError) return [error.message, error.hint].filter(Boolean).join(" ");
  if (error instanceof OperatorError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return `${message} (${code})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const command = commands[name];
  if (!command) throw new Error(`no such command: ${name}`);
  const asksForHelp = args.includes("--help") || args.includes("-h") || args[0] === "help";
  if (asksForHelp || (name === "admin" && args.length === 0)) {
    printLine(command.help);
    return 0;
  }
  try {
    await command.run(args);
    return 0;
  } catch (error) {
    process.stderr.write(
      error instanceof UsageError ? `${error.message}\n\n${command.help}` : `${formatError(error)}\n`,
    );
    return error instanceof UsageError ? 2 : 1;
  }
}

process.umask(0o077); // what we write is for this account only
process.exitCode = await main(process.argv.slice(2));
