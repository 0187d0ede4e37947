import { mkdir, open, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  countParts,
  getPartLength,
  isValidPart,
  type MultipartFile,
  type PartStore,
  type StoredFile,
} from "#domain/assets/model/file-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { undefinedIfMissing, withDiskErrors } from "./disk-errors.ts";
import { nextTurn, toFileVersion } from "./layout.ts";
import {
  appendPartLog,
  createBufferPool,
  createPartLog,
  createRunningDigest,
  readPartLog,
  type RunningDigest,
} from "./part-log.ts";
import { createPartWriters, tooShortError } from "./part-writers.ts";
import { syncFolder, type DiskWriter } from "./write-file.ts";
import { validateKey, tooLargeError } from "../check-key.ts";

/** What the disk store does itself where S3 has its own door: take the bytes of a part. */
export interface DiskParts extends PartStore {
  /** A PUT to the address of a part: all of its bytes, durable when it resolves, or none. */
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
  writer: Pick<DiskWriter, "move" | "checkSpace">;
  createPartUrl: PartStore["createPartUrl"];
  stat: (key: string) => Promise<StoredFile | undefined>;
}

/** What this process knows of a file that it takes parts of. */
interface UploadProgress {
  digest: RunningDigest;
  completedParts: Set<number>;
  /** All parts before this one are there. */
  nextPart: number;
}

/**
 * A file in parts is a folder: `data`, in which each part has its place from the start; `log`, a line for each part
 * that is there and durable; a mark for each writer at work; and `closed`, once no byte may change any more.
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
  const instance = newName().slice(0, 12);
  const getFolder = ({ key, id }: Pick<MultipartFile, "key" | "id">) => {
    if (!idPattern.test(id)) throw new Error("not an upload of ours");
    return join(partsFolder, `${validateKey(key).replaceAll("/", "+")}~${id}`);
  };
  const writers = createPartWriters(newName);
  const pendingCompletions = new Map<string, Promise<StoredFile | undefined>>();
  const buffers = createBufferPool();
  const progressByFolder = new Map<string, UploadProgress>();

  /** Complete before, by a call that may have lost power ahead of its answer. */
  async function findComplete(file: MultipartFile): Promise<StoredFile | undefined> {
    const stored = await statKey(file.key);
    return stored?.bytes === file.bytes ? stored : undefined;
  }

  function recordPart(folder: string, { partBytes }: MultipartFile, part: number): void {
    const progress = progressByFolder.get(folder) ?? {
      digest: createRunningDigest(join(folder, "data"), buffers),
      completedParts: new Set(),
      nextPart: 1,
    };
    progressByFolder.set(folder, progress);
    progress.completedParts.add(part);
    while (progress.completedParts.delete(progress.nextPart)) progress.nextPart++;
    if (progress.nextPart > part) progress.digest.advanceTo((progress.nextPart - 1) * partBytes);
  }

  async function assembleFile(file: MultipartFile): Promise<StoredFile | undefined> {
    const folder = getFolder(file);
    const initialLog = await readPartLog(folder, instance);
    if (initialLog?.completedParts.size !== countParts(file)) return findComplete(file);
    await close(folder);
    if (!(await writers.waitUntilIdle(folder))) {
      await unlink(join(folder, "closed")).catch(() => {});
      throw new AppError("storage_unavailable:part_in_progress", undefined, { retryAfter: 5 });
    }
    // What was read ahead counts only where no other process can have written behind our back.
    const isExclusive = (await readPartLog(folder, instance))?.isExclusive ?? false;
    const path = join(folder, "data");
    const runningDigest = isExclusive ? progressByFolder.get(folder)?.digest : undefined;
    const sha256 = await (runningDigest ?? createRunningDigest(path, buffers)).finish(file.bytes);
    if (sha256 !== undefined) {
      const target = toFileVersion(root, {
        key: file.key,
        turn: nextTurn(clock(), undefined),
        bytes: file.bytes,
        sha256,
      });
      // Gone: another process, which found the same digest, was faster.
      await writer.move({ ...target, folder, path }, target);
    }
    await removeFolder(folder).catch(() => {}); // the sweeper gets what is left
    return findComplete(file);
  }

  async function close(folder: string): Promise<void> {
    const marker = await withDiskErrors(open(join(folder, "closed"), "w", 0o600));
    await marker.close();
    await syncFolder(folder);
  }

  async function removeFolder(folder: string): Promise<void> {
    progressByFolder.delete(folder);
    await withDiskErrors(rm(folder, { recursive: true, force: true }));
  }

  return {
    createPartUrl,

    async start(key, { bytes, partBytes }) {
      if (countParts({ bytes, partBytes }) > 99_999) throw new Error("more parts than a line of the log has room for");
      await writer.checkSpace(bytes);
      const id = `${clock().toString(36).padStart(9, "0")}-${newName()}`;
      const folder = getFolder({ key, id });
      await withDiskErrors(mkdir(folder, { recursive: true, mode: 0o700 }));
      const data = await withDiskErrors(open(join(folder, "data"), "wx", 0o600));
      try {
        // Only as long as it will be, not as large: what is not written takes no room yet.
        await withDiskErrors(data.truncate(bytes));
        await withDiskErrors(data.sync());
      } finally {
        await data.close();
      }
      await createPartLog(folder);
      await syncFolder(folder);
      await syncFolder(partsFolder);
      return id;
    },

    async list(file) {
      const log = await readPartLog(getFolder(file), instance);
      if (log) return [...log.completedParts].toSorted((a, b) => a - b);
      const completeFile = await findComplete(file);
      return completeFile && Array.from({ length: countParts(file) }, (_, i) => i + 1);
    },

    async receive(file, part, body, declaredBytes) {
      if (!isValidPart(file, part)) throw noSuchPartError();
      const folder = getFolder(file);
      const bytes = getPartLength(file, part);
      if (declaredBytes !== undefined && declaredBytes > bytes) throw tooLargeError();
      if (declaredBytes !== undefined && declaredBytes < bytes) throw tooShortError();
      await writer.checkSpace(bytes);
      const offset = (part - 1) * file.partBytes;
      await writers.write(
        folder,
        part,
        body,
        { offset, bytes },
        {
          async onStart() {
            const log = await readPartLog(folder, instance);
            if (log?.completedParts.has(part)) return false;
            if (!log?.hasOwnEntry) await appendPartLog(folder, "+", part, instance);
            return true;
          },
          async onFinish() {
            await appendPartLog(folder, "=", part, instance);
            recordPart(folder, file, part);
          },
        },
      );
    },

    complete(file) {
      const folder = getFolder(file);
      const running =
        pendingCompletions.get(folder) ?? assembleFile(file).finally(() => pendingCompletions.delete(folder));
      pendingCompletions.set(folder, running);
      return running;
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
      // Those that another process ended are only remembered here.
      for (const folder of progressByFolder.keys())
        if (parseStartTime(folder) < startedBefore) progressByFolder.delete(folder);
      return sweptCount;
    },
  };
}

const idPattern = /^[0-9a-z]{9}-[0-9a-f]{24}$/;

/** When the upload of a folder was begun; NaN for what is none. */
const parseStartTime = (folder: string): number => Number.parseInt(/~([0-9a-z]{9})-/.exec(folder)?.[1] ?? "", 36);

const noSuchPartError = (): AppError => new AppError("forbidden:file_url");
