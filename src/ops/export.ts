import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import type { ProgressReporter } from "./progress.ts";
import { syncFolders, writeText } from "./manifest.ts";
import type { Database } from "#db/database.ts";
import { readStudioRows, type StudioRow, type StudioTable } from "#db/studio-rows.ts";
import { extensions } from "#domain/model/asset-kinds.ts";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { StudioStore } from "#domain/ports/studios.ts";
import { toIsoTime, type Clock } from "#lib/clock.ts";
import { OperatorError } from "#lib/errors.ts";
import { findVersions } from "#storage/disk/layout.ts";

export interface ExportOptions {
  database: Database;
  studios: Pick<StudioStore, "find" | "list">;
  /** Returns the bytes of a stored file; rejects if it is missing. */
  readFile: (key: string, sha256: string | null) => Promise<AsyncIterable<Uint8Array>>;
  /** The id or the slug of the studio. */
  studio: string;
  targetFolder: string;
  clock: Clock;
  reportProgress: ProgressReporter;
}

/**
 * Writes what a studio contains, without its trash, to a new folder: rows as JSON, and the original files. The folder
 * gets its name when it is complete; only `lost` files are missing then.
 */
export async function exportStudio(options: ExportOptions): Promise<{ path: string; files: number; lost: string[] }> {
  const { studios, targetFolder, clock } = options;
  const matches = await studios.list({ search: options.studio, limit: 100 });
  const studio = (await studios.find(options.studio)) ?? matches.find(({ slug }) => slug === options.studio);
  if (!studio) throw new OperatorError(`There is no studio with the id or slug ${options.studio}.`);
  const exportedAt = toIsoTime(clock());
  const path = join(targetFolder, `atelier-${studio.slug}-${exportedAt.replace(/[:.]/g, "-")}`);
  const partialPath = `${path}.partial`;
  await mkdir(join(partialPath, "files"), { recursive: true, mode: 0o700 });
  try {
    const counts = await writeRows(options, studio.id, partialPath);
    const { files, lost } = await writeFiles(options, studio.id, partialPath);
    const { id, name, slug, timezone } = studio;
    const { version } = packageJson;
    const manifest = { format: 1, version, exportedAt, studio: { id, name, slug, timezone }, counts, files, lost };
    await writeText(join(partialPath, "manifest.json"), `${JSON.stringify(manifest, toExported, 2)}\n`);
    await syncFolders(partialPath);
    await rename(partialPath, path);
    return { path, files: files.length, lost };
  } catch (error) {
    await rm(partialPath, { recursive: true, force: true });
    throw error;
  }
}

/** Writes a JSON array per kind of object, with one object per line. */
async function writeRows(options: ExportOptions, studioId: string, folder: string): Promise<Record<string, number>> {
  const { database, reportProgress } = options;
  const counts: Record<string, number> = {};
  async function* readDetails(table: StudioTable): AsyncGenerator<StudioRow> {
    for await (const { id } of readStudioRows(database, "posts", { studioId }))
      yield* readStudioRows(database, table, { postId: String(id) });
  }
  for (const [name, rows] of Object.entries({
    accounts: readStudioRows(database, "platformConnections", { studioId }),
    posts: readStudioRows(database, "posts", { studioId }),
    revisions: readDetails("postRevisions"),
    comments: readDetails("comments"),
    publications: readDetails("publications"),
  })) {
    await using file = await open(join(folder, `${name}.json`), "wx", 0o600);
    let count = 0;
    for await (const row of rows) {
      await file.writeFile(`${count++ === 0 ? "[\n" : ",\n"}${JSON.stringify(row, toExported)}`);
      reportProgress(`exported ${count} ${name}`);
    }
    await file.writeFile(count === 0 ? "[]\n" : "\n]\n");
    await file.sync();
    counts[name] = count;
  }
  return counts;
}

/** Formats times as in the API, and hides where the store has a file. */
function toExported(name: string, value: unknown): unknown {
  if (name === "storageKey" || name === "digest") return undefined;
  return typeof value === "number" && /(^at|At|scheduledFor)$/.test(name) ? toIsoTime(value) : value;
}

async function writeFiles(
  { database, readFile, reportProgress }: ExportOptions,
  studioId: string,
  folder: string,
): Promise<{ files: StudioRow[]; lost: string[] }> {
  const files: StudioRow[] = [];
  const lost: string[] = [];
  for await (const { id, storageKey, ...row } of readStudioRows(database, "assets", { studioId })) {
    const path = `files/${String(id)}.${extensions[String(row["mimeType"])]?.[0] ?? "bin"}`;
    const expected = row["sha256"] as string | null;
    try {
      const sha256 = await writeBody(join(folder, path), await readFile(String(storageKey), expected));
      if (expected !== null && sha256 !== expected) throw new OperatorError("The file is damaged.");
      files.push({ assetId: id, path, ...row, sha256 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") throw error;
      await rm(join(folder, path), { force: true });
      lost.push(String(id));
    }
    reportProgress(`exported ${files.length} files`);
  }
  return { files, lost };
}

async function writeBody(path: string, body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  await using file = await open(path, "wx", 0o600);
  for await (const chunk of body) {
    hash.update(chunk);
    await file.writeFile(chunk);
  }
  await file.sync();
  return hash.digest("hex");
}

/** Reads from the folder of the disk store, or from another store. */
export function createFileReader(
  dataDir: string,
  store: Pick<FileStore, "read"> | undefined,
): ExportOptions["readFile"] {
  if (store) return (key) => store.read(key);
  return async (key, sha256) => {
    const versions = await findVersions(join(dataDir, "files"), key);
    const version = versions.find((candidate) => candidate.sha256 === sha256);
    if (!version) throw new OperatorError("The file is missing.");
    return createReadStream(version.path);
  };
}
