import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { moveRows, refuseFilledTarget, type MovedTable } from "#db/move-rows.ts";
import { openSqliteFile, type RecordedFile, type SqliteFile } from "#db/sqlite-file.ts";
import { areas } from "#domain/assets/keys.ts";
import type { FileStore } from "#domain/assets/file-store.ts";
import { secretFile } from "#lib/secret-file.ts";
import { findVersions } from "#storage/disk-layout.ts";
import { OperatorError } from "#lib/operator-error.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import type { Tell } from "./tell.ts";
import { sideBySide } from "./side-by-side.ts";

export interface MoveOptions {
  /** Where the embedded database and the files lie. */
  dataDir: string;
  databaseUrl: string;
  files: FileStore;
  /** The secrets that the service will run with. */
  secrets: readonly string[] | undefined;
  tell: Tell;
}

export interface Moved {
  files: number;
  bytes: number;
  tables: MovedTable[];
}

/**
 * Moves everything from SQLite and a folder to PostgreSQL and S3, and changes nothing where it was. Files go first, each
 * read back from the store and compared; then all rows in one transaction. A move that was cut short is simply begun
 * again: PostgreSQL is still empty, and files that have arrived are only compared.
 */
export async function move({ dataDir, databaseUrl, files, secrets, tell }: MoveOptions): Promise<Moved> {
  await refuseOtherSecret(dataDir, secrets);
  const source = openSqliteFile(dataDir, { alone: true });
  try {
    await refuseFilledTarget(source, databaseUrl);
    await refuseFilledBucket(source, files);
    const { versions, bytes } = await moveFiles(source, dataDir, files, tell);
    // Which bytes an asset is made of is told in the words of the store that has them.
    const tables = await moveRows(
      source,
      databaseUrl,
      (table, row) =>
        table === "assets" ? { ...row, version: versions.get(String(row["id"])) ?? row["version"] ?? null } : row,
      (table, rows) => tell(`copying the table ${table}: ${rows} rows`),
    );
    return { files: versions.size, bytes, tables };
  } finally {
    source.close();
  }
}

/** Links and whatever else was sealed with the old secret would be dead, and what is encrypted with it unreadable. */
async function refuseOtherSecret(dataDir: string, secrets: readonly string[] | undefined): Promise<void> {
  const path = join(dataDir, secretFile);
  const secret = (await readFile(path, "utf8").catch(() => "")).trim();
  if (secret === "" || secrets === undefined || secrets.includes(secret)) return;
  throw new OperatorError(
    `SECRETS lacks the secret that the data was made with. Add the content of ${path} as the last of SECRETS.`,
  );
}

/** What an earlier attempt left is ours; anything else in the bucket belongs to another service. */
async function refuseFilledBucket(source: SqliteFile, files: FileStore): Promise<void> {
  for (const area of areas) {
    for (let after: string | undefined; ;) {
      const page = await files.list(area, { limit: 1000, ...(after === undefined ? {} : { after }) });
      const foreign = page.find(({ key }) => !source.hasFile(key));
      if (foreign)
        throw new OperatorError(
          `The bucket of S3_BUCKET is not empty: it holds ${foreign.key}, which is no file of this service. Name an empty one.`,
        );
      after = page.at(-1)?.key;
      if (page.length < 1000) break;
    }
  }
}

async function moveFiles(
  source: SqliteFile,
  dataDir: string,
  files: FileStore,
  tell: Tell,
): Promise<{ versions: Map<string, string>; bytes: number }> {
  const versions = new Map<string, string>();
  const total = source.countReadyFiles();
  let bytes = 0;
  await sideBySide(source.readyFiles(), 4, async (file) => {
    versions.set(file.assetId, (await findMoved(files, file)) ?? (await moveFile(dataDir, files, file)));
    bytes += file.bytes;
    tell(`moved ${versions.size} of ${total} files, ${formatBytes(bytes)}`);
  });
  return { versions, bytes };
}

async function moveFile(dataDir: string, files: FileStore, file: RecordedFile): Promise<string> {
  const found = (await findVersions(join(dataDir, "files"), file.key)).find(({ sha256 }) => sha256 === file.sha256);
  if (!found)
    throw new OperatorError(
      `The file of ${file.assetId} (${file.key}) is missing in ${dataDir}. Restore it from a backup, or delete the asset.`,
    );
  const body = createReadStream(found.path, { highWaterMark: 1024 * 1024 });
  const { sha256 } = await files.write(file.key, body, { mimeType: file.mimeType, maxBytes: file.bytes });
  if (sha256 !== file.sha256)
    throw new OperatorError(`The file ${found.path} is damaged. Restore it from a backup, and try again.`);
  const version = await findMoved(files, file);
  if (version === undefined) throw new OperatorError(`The store did not keep ${file.key} as it was sent. Try again.`);
  return version;
}

/** The version of exactly these bytes in the store, read to the end; undefined where other bytes lie there, or none. */
async function findMoved(files: FileStore, { key, bytes, sha256 }: RecordedFile): Promise<string | undefined> {
  const stored = await files.stat(key);
  if (stored?.bytes !== bytes) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of await files.read(key)) hash.update(chunk as Buffer);
  return hash.digest("hex") === sha256 ? stored.version : undefined;
}
