import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { StoredFile } from "#domain/assets/file-store.ts";
import { isPart, lengthOfPart, partCount, type PartedFile, type PartStore } from "#domain/assets/part-store.ts";
import type { Clock } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import { ifThere, io } from "./disk-faults.ts";
import { nextTurn, placeVersion } from "./disk-layout.ts";
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

/**
 * A file in parts is a folder: `data`, in which each part has its place from the start; `done`, a line for each part
 * that is there and durable; a mark for each writer at work; and `closed`, once no byte may change any more.
 */
export function createDiskParts({ root, clock, newName, writer, address, stat: statKey }: DiskPartsOptions): DiskParts {
  const room = partsFolder(root);
  const folderOf = ({ key, id }: Pick<PartedFile, "key" | "id">) => {
    if (!idShape.test(id)) throw new Error("not an upload of ours");
    return join(room, `${checkKey(key).replaceAll("/", "+")}~${id}`);
  };
  const writers = createPartWriters(newName);
  const completing = new Map<string, Promise<StoredFile | undefined>>();

  async function readDone(folder: string): Promise<Set<number> | undefined> {
    const text = await ifThere(readFile(join(folder, "done"), "latin1"));
    // A line that a power cut left half written is none.
    return text === undefined ? undefined : new Set([...text.matchAll(/^(\d{5})\n/gm)].map(([, part]) => Number(part)));
  }

  /** Complete before, by a call that may have lost power ahead of its answer. */
  async function findComplete(file: PartedFile): Promise<StoredFile | undefined> {
    const stored = await statKey(file.key);
    return stored?.bytes === file.bytes ? stored : undefined;
  }

  async function markDone(folder: string, part: number): Promise<void> {
    const log = await io(open(join(folder, "done"), "a", 0o600));
    try {
      await io(log.write(`${String(part).padStart(5, "0")}\n`));
      await io(log.datasync());
    } finally {
      await log.close();
    }
  }

  async function makeFile(file: PartedFile): Promise<StoredFile | undefined> {
    const folder = folderOf(file);
    const isWhole = async () => (await readDone(folder))?.size === partCount(file);
    if (!(await isWhole())) return findComplete(file);
    const closed = await io(open(join(folder, "closed"), "w", 0o600));
    await closed.close();
    await syncFolder(folder);
    if (!(await writers.settle(folder))) {
      await unlink(join(folder, "closed")).catch(() => {});
      throw new AppError("storage_unavailable", "A part of the file is still being sent.", "Try again in a moment.", {
        retryAfter: 5,
      });
    }
    const path = join(folder, "data");
    const sha256 = await digest(path, file.bytes);
    if (sha256 !== undefined) {
      const goal = placeVersion(root, { key: file.key, turn: nextTurn(clock(), undefined), bytes: file.bytes, sha256 });
      // Gone: another process, which found the same digest, was faster.
      await writer.move({ ...goal, folder, path }, goal);
    }
    await rm(folder, { recursive: true, force: true }).catch(() => {}); // the sweeper gets what is left
    return findComplete(file);
  }

  return {
    address,

    async start(key, { bytes, partBytes }) {
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
      if (partCount({ bytes, partBytes }) > 99_999) throw new Error("more parts than a line of the log has room for");
      const done = await io(open(join(folder, "done"), "wx", 0o600));
      await done.close();
      await syncFolder(folder);
      await syncFolder(room);
      return id;
    },

    async list(file) {
      const done = await readDone(folderOf(file));
      if (done) return [...done].toSorted((a, b) => a - b);
      const whole = await findComplete(file);
      return whole && Array.from({ length: partCount(file) }, (_, i) => i + 1);
    },

    async receive(file, part, body, declaredBytes) {
      if (!isPart(file, part)) throw noSuchPart();
      const folder = folderOf(file);
      const bytes = lengthOfPart(file, part);
      if (declaredBytes !== undefined && declaredBytes > bytes) throw tooLarge();
      if (declaredBytes !== undefined && declaredBytes < bytes) throw tooShort();
      const done = await readDone(folder);
      if (!done) throw noSuchPart();
      if (done.has(part)) return discard(body, bytes);
      await writer.checkSpace(bytes);
      const offset = (part - 1) * file.partBytes;
      await writers.write(folder, part, body, { offset, bytes }, () => markDone(folder, part));
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
      await io(rm(folder, { recursive: true, force: true }));
    },

    async sweep(startedBefore) {
      let swept = 0;
      for (const name of (await ifThere(readdir(room))) ?? []) {
        const startedAt = Number.parseInt(/~([0-9a-z]{9})-/.exec(name)?.[1] ?? "", 36);
        if (!(startedAt < startedBefore)) continue;
        await writers.stop(join(room, name));
        await io(rm(join(room, name), { recursive: true, force: true }));
        swept++;
      }
      return swept;
    },
  };
}

const idShape = /^[0-9a-z]{9}-[0-9a-f]{24}$/;
const partsFolder = (root: string): string => join(root, ".parts");
const readBytes = 1024 * 1024;

/** The digest of the whole file; undefined where it is gone. */
async function digest(path: string, bytes: number): Promise<string | undefined> {
  const file = await ifThere(open(path, "r"));
  if (!file) return undefined;
  const hash = createHash("sha256");
  let seen = 0;
  for await (const chunk of file.createReadStream({ highWaterMark: readBytes })) {
    hash.update(chunk as Uint8Array);
    seen += (chunk as Uint8Array).length;
  }
  if (seen !== bytes)
    throw new AppError("storage_unavailable", "The file store lost a part of the file.", "Send the file again.");
  return hash.digest("hex");
}

/** The part is there already. The sender gets to the end of what it sends, and its answer. */
async function discard(body: AsyncIterable<Uint8Array>, bytes: number): Promise<void> {
  let seen = 0;
  for await (const chunk of body) {
    seen += chunk.length;
    if (seen > bytes) throw tooLarge();
  }
}

const noSuchPart = (): AppError =>
  new AppError("forbidden", "This address is not valid, or no longer.", "Ask for a new one.");
