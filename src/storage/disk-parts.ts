import { mkdir, open, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { StoredFile } from "#domain/assets/file-store.ts";
import { isPart, lengthOfPart, partCount, type PartedFile, type PartStore } from "#domain/assets/part-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { ifThere, io } from "./disk-faults.ts";
import { nextTurn, placeVersion } from "./disk-layout.ts";
import { createBuffers, createRunningDigest, type RunningDigest } from "./disk-part-digest.ts";
import { appendLog, createLog, readLog } from "./disk-part-log.ts";
import { createPartWriters, tooShort } from "./disk-part-writers.ts";
import { syncFolder, type Writer } from "./disk-write.ts";
import { checkKey, tooLarge } from "./keys.ts";

/** What the disk store does itself where S3 has its own door: take the bytes of a part. */
export interface DiskParts extends PartStore {
  /** A PUT to the address of a part: all of its bytes, durable when it resolves, or none. */
  receive(
    file: PartedFile,
    part: number,
    body: AsyncIterable<Uint8Array>,
    declaredBytes: number | undefined,
  ): Promise<void>;
}

export interface DiskPartsOptions {
  root: string;
  clock: Clock;
  newName: () => string;
  writer: Pick<Writer, "move" | "checkSpace">;
  address: PartStore["address"];
  stat: (key: string) => Promise<StoredFile | undefined>;
}

/** What this process knows of a file that it takes parts of. */
interface Growing {
  digest: RunningDigest;
  done: Set<number>;
  /** All parts before this one are there. */
  next: number;
}

/**
 * A file in parts is a folder: `data`, in which each part has its place from the start; `log`, a line for each part
 * that is there and durable; a mark for each writer at work; and `closed`, once no byte may change any more.
 */
export function createDiskParts({ root, clock, newName, writer, address, stat: statKey }: DiskPartsOptions): DiskParts {
  const room = join(root, ".parts");
  const instance = newName().slice(0, 12);
  const folderOf = ({ key, id }: Pick<PartedFile, "key" | "id">) => {
    if (!idShape.test(id)) throw new Error("not an upload of ours");
    return join(room, `${checkKey(key).replaceAll("/", "+")}~${id}`);
  };
  const writers = createPartWriters(newName);
  const completing = new Map<string, Promise<StoredFile | undefined>>();
  const buffers = createBuffers();
  const growing = new Map<string, Growing>();

  /** Complete before, by a call that may have lost power ahead of its answer. */
  async function findComplete(file: PartedFile): Promise<StoredFile | undefined> {
    const stored = await statKey(file.key);
    return stored?.bytes === file.bytes ? stored : undefined;
  }

  function noteDone(folder: string, { partBytes }: PartedFile, part: number): void {
    const known = growing.get(folder) ?? {
      digest: createRunningDigest(join(folder, "data"), buffers),
      done: new Set(),
      next: 1,
    };
    growing.set(folder, known);
    known.done.add(part);
    while (known.done.delete(known.next)) known.next++;
    if (known.next > part) known.digest.reach((known.next - 1) * partBytes);
  }

  async function makeFile(file: PartedFile): Promise<StoredFile | undefined> {
    const folder = folderOf(file);
    const before = await readLog(folder, instance);
    if (before?.done.size !== partCount(file)) return findComplete(file);
    await close(folder);
    if (!(await writers.settle(folder))) {
      await unlink(join(folder, "closed")).catch(() => {});
      throw new AppError("storage_unavailable:part_in_progress", undefined, { retryAfter: 5 });
    }
    // What was read ahead counts only where no other process can have written behind our back.
    const isOurs = (await readLog(folder, instance))?.isOurs ?? false;
    const path = join(folder, "data");
    const ahead = isOurs ? growing.get(folder)?.digest : undefined;
    const sha256 = await (ahead ?? createRunningDigest(path, buffers)).finish(file.bytes);
    if (sha256 !== undefined) {
      const goal = placeVersion(root, { key: file.key, turn: nextTurn(clock(), undefined), bytes: file.bytes, sha256 });
      // Gone: another process, which found the same digest, was faster.
      await writer.move({ ...goal, folder, path }, goal);
    }
    await forget(folder).catch(() => {}); // the sweeper gets what is left
    return findComplete(file);
  }

  async function close(folder: string): Promise<void> {
    const closed = await io(open(join(folder, "closed"), "w", 0o600));
    await closed.close();
    await syncFolder(folder);
  }

  async function forget(folder: string): Promise<void> {
    growing.delete(folder);
    await io(rm(folder, { recursive: true, force: true }));
  }

  return {
    address,

    async start(key, { bytes, partBytes }) {
      if (partCount({ bytes, partBytes }) > 99_999) throw new Error("more parts than a line of the log has room for");
      await writer.checkSpace(bytes);
      const id = `${clock().toString(36).padStart(9, "0")}-${newName()}`;
      const folder = folderOf({ key, id });
      await io(mkdir(folder, { recursive: true, mode: 0o700 }));
      const data = await io(open(join(folder, "data"), "wx", 0o600));
      try {
        // Only as long as it will be, not as large: what is not written takes no room yet.
        await io(data.truncate(bytes));
        await io(data.sync());
      } finally {
        await data.close();
      }
      await createLog(folder);
      await syncFolder(folder);
      await syncFolder(room);
      return id;
    },

    async list(file) {
      const log = await readLog(folderOf(file), instance);
      if (log) return [...log.done].toSorted((a, b) => a - b);
      const whole = await findComplete(file);
      return whole && Array.from({ length: partCount(file) }, (_, i) => i + 1);
    },

    async receive(file, part, body, declaredBytes) {
      if (!isPart(file, part)) throw noSuchPart();
      const folder = folderOf(file);
      const bytes = lengthOfPart(file, part);
      if (declaredBytes !== undefined && declaredBytes > bytes) throw tooLarge();
      if (declaredBytes !== undefined && declaredBytes < bytes) throw tooShort();
      await writer.checkSpace(bytes);
      const offset = (part - 1) * file.partBytes;
      await writers.write(
        folder,
        part,
        body,
        { offset, bytes },
        {
          async begin() {
            const log = await readLog(folder, instance);
            if (log?.done.has(part)) return false;
            if (!log?.knowsUs) await appendLog(folder, "+", part, instance);
            return true;
          },
          async end() {
            await appendLog(folder, "=", part, instance);
            noteDone(folder, file, part);
          },
        },
      );
    },

    complete(file) {
      const folder = folderOf(file);
      const running = completing.get(folder) ?? makeFile(file).finally(() => completing.delete(folder));
      completing.set(folder, running);
      return running;
    },

    async abort(file) {
      const folder = folderOf(file);
      await writers.stop(folder);
      await forget(folder);
    },

    async sweep(startedBefore) {
      let swept = 0;
      for (const name of (await ifThere(readdir(room))) ?? []) {
        if (!(startOf(name) < startedBefore)) continue;
        await writers.stop(join(room, name));
        await forget(join(room, name));
        swept++;
      }
      // Those that another process ended are only remembered here.
      for (const folder of growing.keys()) if (startOf(folder) < startedBefore) growing.delete(folder);
      return swept;
    },
  };
}

const idShape = /^[0-9a-z]{9}-[0-9a-f]{24}$/;

/** When the upload of a folder was begun; NaN for what is none. */
const startOf = (folder: string): number => Number.parseInt(/~([0-9a-z]{9})-/.exec(folder)?.[1] ?? "", 36);

const noSuchPart = (): AppError => new AppError("forbidden:file_url");
