import { mkdir, open, readdir, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  countParts,
  getPartLength,
  isValidPart,
  type MultipartFile,
  type PartStore,
  type StoredFile,
} from "#domain/ports/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";
import { getNextSequence, toFileVersion } from "./layout.ts";
import { appendPartLog, createPartLog, readPartLog } from "./part-log.ts";
import { createPartWriters, tooShortError } from "./part-writers.ts";
import { createRunningDigest, type RunningDigest } from "./running-digest.ts";
import { syncFolder, type DiskWriter } from "./write-file.ts";
import { bodyTooLargeError } from "../read-batches.ts";
import { validateKey } from "../validate-key.ts";

/** With S3, clients send parts straight to the store. The disk store receives them itself. */
export interface DiskParts extends PartStore {
  /** Stores the body of a PUT to a part URL. The part is complete and durable when this resolves. */
  receive(
    file: MultipartFile,
    part: number,
    body: AsyncIterable<Uint8Array>,
    declaredBytes: number | undefined,
  ): Promise<void>;
}

export interface DiskPartsOptions {
  root: string;
  clock: Clock;
  newName: () => string;
  writer: Pick<DiskWriter, "move" | "checkSpace" | "checkFileFits">;
  createPartUrl: PartStore["createPartUrl"];
  stat: (key: string) => Promise<StoredFile | undefined>;
}

/** The progress of a file that this process receives parts of. */
interface UploadProgress {
  digest: RunningDigest;
  /** Parts after `nextPart` that are already complete. */
  laterParts: Set<number>;
  /** All parts before this one are complete. */
  nextPart: number;
}

/**
 * Stores a multipart file as a folder with `data`, in which each part has a fixed offset; `log`, with a line for each
 * complete and durable part; a marker file for each active writer; and `closed`, once the bytes must not change.
 */
export function createDiskParts({
  root,
  clock,
  newName,
  writer,
  createPartUrl,
  stat: statKey,
}: DiskPartsOptions): DiskParts {
  const partsFolder = join(root, ".parts");
  const instanceId = newName().slice(0, 12);
  const getFolder = ({ key, id }: Pick<MultipartFile, "key" | "id">) => {
    if (!idPattern.test(id)) throw new Error("invalid upload id");
    return join(partsFolder, `${validateKey(key).replaceAll("/", "+")}~${id}`);
  };
  const writers = createPartWriters(newName);
  const pendingCompletions = new Map<string, Promise<StoredFile | undefined>>();
  const progressByFolder = new Map<string, UploadProgress>();

  /** Finds the file if an earlier call completed it but crashed before it returned. */
  async function findCompleteFile(file: MultipartFile): Promise<StoredFile | undefined> {
    const storedFile = await statKey(file.key);
    return storedFile?.bytes === file.bytes ? storedFile : undefined;
  }

  function recordPart(folder: string, { partBytes }: MultipartFile, part: number): void {
    const progress = progressByFolder.get(folder) ?? {
      digest: createRunningDigest(join(folder, "data")),
      laterParts: new Set(),
      nextPart: 1,
    };
    progressByFolder.set(folder, progress);
    progress.laterParts.add(part);
    while (progress.laterParts.delete(progress.nextPart)) progress.nextPart++;
    if (progress.nextPart > part) progress.digest.advanceTo((progress.nextPart - 1) * partBytes);
  }

  async function assembleFile(file: MultipartFile): Promise<StoredFile | undefined> {
    const folder = getFolder(file);
    const initialLog = await readPartLog(folder, instanceId);
    if (initialLog?.completedParts.size !== countParts(file)) return findCompleteFile(file);
    await closeFolder(folder);
    if (!(await writers.waitUntilIdle(folder))) {
      await unlink(join(folder, "closed")).catch(() => {});
      throw new AppError("storage_unavailable:part_in_progress", undefined, { retryAfter: 5 });
    }
    // The running digest is valid only if no other process wrote parts.
    const isExclusive = (await readPartLog(folder, instanceId))?.isExclusive ?? false;
    const path = join(folder, "data");
    const runningDigest = isExclusive ? progressByFolder.get(folder)?.digest : undefined;
    const sha256 = await (runningDigest ?? createRunningDigest(path)).finish(file.bytes);
    if (sha256 !== undefined) {
      const sequence = getNextSequence(clock(), undefined);
      const target = toFileVersion(root, { key: file.key, sequence, bytes: file.bytes, sha256 });
      // The result is ignored: if another process already moved the file, it computed the same digest.
      await writer.move({ ...target, folder, path }, target);
    }
    await removeFolder(folder).catch(() => {}); // the sweeper removes what is left
    return findCompleteFile(file);
  }

  async function closeFolder(folder: string): Promise<void> {
    await withDiskErrors(writeFile(join(folder, "closed"), "", { mode: 0o600 }));
    await syncFolder(folder);
  }

  async function removeFolder(folder: string): Promise<void> {
    progressByFolder.delete(folder);
    await withDiskErrors(rm(folder, { recursive: true, force: true }));
  }

  const parts: DiskParts = {
    createPartUrl,

    async start(key, { bytes, partBytes }) {
      if (countParts({ bytes, partBytes }) > 99_999) throw new Error("too many parts for the part log");
      await writer.checkFileFits(bytes);
      const id = `${clock().toString(36).padStart(9, "0")}-${newName()}`;
      const folder = getFolder({ key, id });
      await withDiskErrors(mkdir(folder, { recursive: true, mode: 0o700 }));
      await createSparseFile(join(folder, "data"), bytes);
      await createPartLog(folder);
      await syncFolder(folder);
      await syncFolder(partsFolder);
      return id;
    },

    async list(file) {
      const log = await readPartLog(getFolder(file), instanceId);
      if (log) return [...log.completedParts].toSorted((a, b) => a - b);
      const completeFile = await findCompleteFile(file);
      return completeFile && Array.from({ length: countParts(file) }, (_, i) => i + 1);
    },

    async receive(file, part, body, declaredBytes) {
      if (!isValidPart(file, part)) throw noSuchPartError();
      const folder = getFolder(file);
      const bytes = getPartLength(file, part);
      if (declaredBytes !== undefined && declaredBytes > bytes) throw bodyTooLargeError();
      if (declaredBytes !== undefined && declaredBytes < bytes) throw tooShortError();
      await writer.checkSpace(bytes);
      const offset = (part - 1) * file.partBytes;
      await writers.write({
        folder,
        part,
        body,
        offset,
        bytes,
        async onStart() {
          const log = await readPartLog(folder, instanceId);
          if (log?.completedParts.has(part)) return false;
          if (!log?.hasOwnEntry) await appendPartLog(folder, "started", part, instanceId);
          return true;
        },
        async onFinish() {
          await appendPartLog(folder, "complete", part, instanceId);
          recordPart(folder, file, part);
        },
      });
    },

    write: (file, part, content) => parts.receive(file, part, toSingleChunk(content), content.length),

    complete(file) {
      const folder = getFolder(file);
      const completion =
        pendingCompletions.get(folder) ?? assembleFile(file).finally(() => pendingCompletions.delete(folder));
      pendingCompletions.set(folder, completion);
      return completion;
    },

    async abort(file) {
      const folder = getFolder(file);
      await writers.stop(folder);
      await removeFolder(folder);
    },

    async sweep(startedBefore) {
      let sweptCount = 0;
      for (const name of (await undefinedIfMissing(readdir(partsFolder))) ?? []) {
        if (!(parseStartTime(name) < startedBefore)) continue;
        await writers.stop(join(partsFolder, name));
        await removeFolder(join(partsFolder, name));
        sweptCount++;
      }
      // Forget uploads that another process completed or removed.
      for (const folder of progressByFolder.keys())
        if (parseStartTime(folder) < startedBefore) progressByFolder.delete(folder);
      return sweptCount;
    },
  };
  return parts;
}

async function createSparseFile(path: string, bytes: number): Promise<void> {
  await using file = await withDiskErrors(open(path, "wx", 0o600));
  await withDiskErrors(file.truncate(bytes));
  await withDiskErrors(file.sync());
}

async function* toSingleChunk(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

const idPattern = /^[0-9a-z]{9}-[0-9a-f]{24}$/;

/** When the upload of a folder was started; NaN if the folder is not an upload. */
const parseStartTime = (folder: string): number => Number.parseInt(/~([0-9a-z]{9})-/.exec(folder)?.[1] ?? "", 36);

const noSuchPartError = (): AppError => new AppError("forbidden:file_url");
