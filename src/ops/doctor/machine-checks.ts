import { existsSync } from "node:fs";
import { access, constants, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { DoctorConfig, Findings } from "./doctor.ts";
import { inspectDatabase } from "#db/inspect-database.ts";
import { systemClock } from "#lib/clock.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { createMailer } from "#mail/mailer.ts";
import { CheckError, skip, warn, type Check } from "#portable/checks.ts";
import { openS3Store } from "#storage/s3/s3-store.ts";

const gibibyte = 1024 ** 3;

/** Checks of what the server needs on its own side. */
export function createMachineChecks(config: DoctorConfig, findings: Findings): Check[] {
  const { databaseUrl, dataDir, storage, mail, base } = config;

  async function checkDatabase(): Promise<string> {
    findings.database = await inspectDatabase(config).catch((error: unknown) => {
      throw new CheckError(
        `The database is not usable: ${describeError(error)}.`,
        databaseUrl === undefined
          ? "Set DATA_DIR to the data folder of the server, and run this as the server’s user. Restore a damaged database from a backup."
          : "Start PostgreSQL, and check host, user, password and name in DATABASE_URL.",
      );
    });
    return `${databaseUrl === undefined ? "SQLite" : "PostgreSQL"} is usable.`;
  }

  async function checkMigrations(): ReturnType<Check["run"]> {
    if (findings.database?.isNew !== false) return "The first start creates the tables.";
    const pending = await findings.database.listPendingMigrations().catch((error: unknown) => {
      throw new CheckError(
        describeError(error),
        "Install the version that the database was last used with, or a newer one.",
      );
    });
    if (pending.length === 0) return "The database has every migration of this version.";
    return warn(
      `The next start applies migrations: ${pending.length}.`,
      "Make a backup, then restart the server (docs/deploy.md).",
    );
  }

  async function checkStore(): Promise<string> {
    if (storage.kind === "disk") {
      const folder = findExistingFolder(join(dataDir, "files"));
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
        throw new CheckError(describeError(error), "Set DATA_DIR to a folder that the server’s user can write to.");
      });
      return `Files are stored in ${join(dataDir, "files")}.`;
    }
    const store = await openS3Store({ settings: storage, clock: systemClock });
    const error: unknown = await store.ping().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    store.close();
    if (error === undefined) return `The bucket ${storage.bucket} is reachable.`;
    throw new CheckError(
      `The bucket ${storage.bucket} is not reachable: ${describeError(error)}.`,
      "Check the S3_… settings, the rights of the access key, and the network between this machine and the store.",
    );
  }

  async function checkMail(): ReturnType<Check["run"]> {
    if (!mail) return skip("No emails are sent, because SMTP_URL is not set.");
    const error = await createMailer({ ...mail, base }).check();
    if (error === null) return `The mail server ${mail.host} is ready.`;
    throw new CheckError(
      error === "sign_in"
        ? `The mail server ${mail.host} rejects the sign-in.`
        : `The mail server ${mail.host} is not reachable.`,
      "Check host, port, user and password in SMTP_URL, and the network between this machine and the mail server.",
    );
  }

  async function checkDisk(): ReturnType<Check["run"]> {
    if (databaseUrl !== undefined && storage.kind === "s3") return skip("The server stores nothing on this disk.");
    const { bavail, bsize } = await statfs(findExistingFolder(dataDir));
    const message = `${formatBytes(bavail * bsize)} are free in ${dataDir}.`;
    const advice = "Free some space, or move DATA_DIR to a larger disk.";
    // The store rejects uploads that leave less than this.
    if (bavail * bsize < gibibyte) throw new CheckError(message, advice);
    return bavail * bsize < 2 * gibibyte ? warn(message, advice) : message;
  }

  return [
    { name: "database", run: checkDatabase },
    { name: "migrations", needs: ["database"], run: checkMigrations },
    { name: "store", run: checkStore },
    { name: "mail", run: checkMail },
    { name: "disk", run: checkDisk },
  ];
}

/** The Date header has no fractions of a second, and requests take time. */
const toleranceSeconds = 5;
/** Identity providers and S3 reject what was signed further away. */
const maxOffsetSeconds = 60;

/** Compares the clock with those of other servers. Tokens, links and schedules depend on it. */
export function createClockCheck({ identityProviders }: DoctorConfig, { dates }: Findings): Check[] {
  async function checkClock(): ReturnType<Check["run"]> {
    for (const { issuer } of identityProviders) {
      const request = fetch(issuer, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(5000) });
      dates.set(new URL(issuer).host, await request.then(({ headers }) => headers.get("date")).catch(() => null));
    }
    const clocks = [...dates].map(([host, date]) => ({
      host,
      offset: Math.round((Date.parse(date ?? "") - systemClock()) / 1000),
    }));
    const [worst] = clocks
      .filter(({ offset }) => !Number.isNaN(offset))
      .toSorted((a, b) => Math.abs(b.offset) - Math.abs(a.offset));
    if (!worst) return skip("No other clock to compare with.");
    const difference = Math.abs(worst.offset);
    if (difference <= toleranceSeconds) return `The clock agrees with that of ${worst.host}.`;
    const message = `The clock of ${worst.host} is ${difference} s ${worst.offset > 0 ? "ahead of" : "behind"} that of this machine.`;
    const advice = "Synchronize both clocks, for example with chrony or systemd-timesyncd.";
    if (difference > maxOffsetSeconds) throw new CheckError(message, advice);
    return warn(message, advice);
  }
  return [{ name: "clock", run: checkClock }];
}

function findExistingFolder(path: string): string {
  const absolutePath = resolve(path);
  return existsSync(absolutePath) ? absolutePath : findExistingFolder(dirname(absolutePath));
}

/** Connection URLs and keys are not part of these messages. */
export function describeError(error: unknown): string {
  const { code, message, name, errors } = error as NodeJS.ErrnoException & { errors?: unknown[] };
  if (errors?.[0] !== undefined) return describeError(errors[0]);
  return (message === "" ? (code ?? name) : message).replace(/[.\s]+$/, "");
}
