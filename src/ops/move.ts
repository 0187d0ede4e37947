import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { copyRows, assertTargetEmpty, type CopiedTable } from "#db/copy-rows.ts";
import { openSqliteFile, type RecordedFile, type SqliteFile } from "#db/sqlite-file.ts";
import { storageAreas } from "#domain/model/storage-keys.ts";
import type { FileStore } from "#domain/ports/file-store.ts";
import { secretFileName } from "#lib/secret-file.ts";
import { findVersions } from "#storage/disk/layout.ts";
import { OperatorError } from "#lib/errors.ts";
import { formatBytes } from "#lib/format-bytes.ts";
import { forEachConcurrent } from "./for-each-concurrent.ts";
import type { ProgressReporter } from "./progress.ts";

export interface MoveOptions {
  dataDir: string;
  databaseUrl: string;
  files: FileStore;
  /** The secrets that the server will run with. */
  secrets: readonly string[] | undefined;
  reportProgress: ProgressReporter;
}

export interface MoveResult {
  files: number;
  bytes: number;
  tables: CopiedTable[];
}

/**
 * Copies everything from SQLite and the disk store to PostgreSQL and S3, without changing the source. Files are copied
 * first, each read back and verified, then all rows in one transaction. An interrupted move can be run again: PostgreSQL
 * is still empty, and files that are already in the bucket are only verified.
 */
export async function moveData({
  dataDir,
  databaseUrl,
  files,
  secrets,
  reportProgress,
}: MoveOptions): Promise<MoveResult> {
  await assertSecretIncluded(dataDir, secrets);
  const source = openSqliteFile(dataDir, { isExclusive: true });
  try {
    await assertTargetEmpty(source, databaseUrl);
    await assertBucketEmpty(source, files);
    const { versions, bytes } = await copyFiles(source, dataDir, files, reportProgress);
    // The bucket has its own version ids, so the ids from the copied files replace those of the disk store.
    const tables = await copyRows(
      source,
      databaseUrl,
      (table, row) =>
        table === "assets"
          ? { ...row, version: versions.get(String(row["storage_key"])) ?? row["version"] ?? null }
          : row,
      (table, rows) => reportProgress(`copying the table ${table}: ${rows} rows`),
    );
    return { files: versions.size, bytes, tables };
  } finally {
    source.close();
  }
}

/** Without the old secret, links would be invalid and platform credentials could not be decrypted. */
async function assertSecretIncluded(dataDir: string, secrets: readonly string[] | undefined): Promise<void> {
  const path = join(dataDir, secretFileName);
  const secret = (await readFile(path, "utf8").catch(() => "")).trim();
  if (secret === "" || secrets === undefined || secrets.includes(secret)) return;
  throw new OperatorError(
    `SECRETS does not include the secret of the existing data. Add the content of ${path} as the last entry of SECRETS.`,
  );
}

/** Ignores files of an earlier, interrupted move. Any other file in the bucket belongs to another server. */
async function assertBucketEmpty(source: SqliteFile, files: FileStore): Promise<void> {
  for (const area of storageAreas) {
    for (let after: string | undefined; ;) {
      const page = await files.list(area, { limit: 1000, ...(after === undefined ? {} : { after }) });
      const foreignFile = page.find(({ key }) => source.listAssetsOfFile(key).length === 0);
      if (foreignFile)
        throw new OperatorError(
          `The bucket of S3_BUCKET is not empty: it contains ${foreignFile.key}, which does not belong to this server. Use an empty bucket.`,
        );
      after = page.at(-1)?.key;
      if (page.length < 1000) break;
    }
  }
}

async function copyFiles(
  source: SqliteFile,
  dataDir: string,
  files: FileStore,
  reportProgress: ProgressReporter,
): Promise<{ versions: Map<string, string>; bytes: number }> {
  const versions = new Map<string, string>();
  const total = source.countReadyFiles();
  let bytes = 0;
  await forEachConcurrent(source.listReadyFiles(), 4, async (file) => {
    versions.set(file.key, (await findCopiedVersion(files, file)) ?? (await copyFile(source, dataDir, files, file)));
    bytes += file.bytes;
    reportProgress(`moved ${versions.size} of ${total} files, ${formatBytes(bytes)}`);
  });
  return { versions, bytes };
}

async function copyFile(source: SqliteFile, dataDir: string, files: FileStore, file: RecordedFile): Promise<string> {
  const sourceVersion = (await findVersions(join(dataDir, "files"), file.key)).find(
    ({ sha256 }) => sha256 === file.sha256,
  );
  if (!sourceVersion)
    throw new OperatorError(
      `The file of ${source
        .listAssetsOfFile(file.key)
        .map(({ assetId }) => assetId)
        .join(", ")} (${file.key}) is missing from ${dataDir}. Restore it from a backup or delete the asset.`,
    );
  const body = createReadStream(sourceVersion.path, { highWaterMark: 1024 * 1024 });
  const { sha256 } = await files.write(file.key, body, { mimeType: file.mimeType, maxBytes: file.bytes });
  if (sha256 !== file.sha256)
    throw new OperatorError(`The file ${sourceVersion.path} is damaged. Restore it from a backup and try again.`);
  const version = await findCopiedVersion(files, file);
  if (version === undefined)
    throw new OperatorError(`${file.key} in the bucket does not match the file that was sent. Try again.`);
  return version;
}

/** Reads the file back from the store. Returns its version if the bytes match, otherwise undefined. */
async function findCopiedVersion(files: FileStore, { key, bytes, sha256 }: RecordedFile): Promise<string | undefined> {
  const storedFile = await files.stat(key);
  if (storedFile?.bytes !== bytes) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of await files.read(key)) hash.update(chunk as Buffer);
  return hash.digest("hex") === sha256 ? storedFile.version : undefined;
}
