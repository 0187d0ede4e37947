import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { hours, systemClock } from "#lib/clock.ts";
import { openLocalDiskStore } from "../support/local-disk-store.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { buildStraceCommand } from "../support/strace.ts";
import { toChunks, readDigest, sha256 } from "../support/stores.ts";
import { isLongRun } from "../support/long-run.ts";
import { skipWithout } from "../support/find-program.ts";

const writeOptions = { mimeType: "image/png", maxBytes: 1_000_000 };

/** Runs Node while strace injects a fault into a system call. Returns what it printed. */
async function runNodeWithFault(injection: string, nodeArgs: readonly string[]): Promise<string> {
  const [call = "", ...fault] = injection.split(":");
  const [program = "", ...args] = buildStraceCommand(call, fault.join(":"));
  const tracer = spawn(program, [...args, process.execPath, ...nodeArgs], {
    stdio: ["ignore", "pipe", "inherit"],
    cwd: join(import.meta.dirname, "../.."),
    // One thread for files, so that the Nth call is the same in every run.
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  const output: Buffer[] = [];
  tracer.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  await once(tracer, "close");
  return Buffer.concat(output).toString();
}

async function runChildWithFault(injection: string, childName: string, childArgs: string[]): Promise<string[][]> {
  const childProgram = join(import.meta.dirname, "../support/children", childName);
  const output = await runNodeWithFault(injection, [childProgram, ...childArgs]);
  return output.split("\n").map((line) => line.split(" "));
}

/** Runs a process that stores and promotes files. */
const runWithFault = (root: string, injection: string): Promise<string[][]> =>
  runChildWithFault(injection, "store-files.ts", [JSON.stringify({ root, count: 4, bytes: 1_500_000 })]);

async function withFolder(check: (path: string) => Promise<void>): Promise<void> {
  const folder = createTempFolder();
  await check(folder.path).finally(() => folder.remove());
}

/** Runs the checks three at a time, each with a new folder, because the processes mostly wait for the disk. */
async function forEachInjection(
  injections: string[],
  check: (injection: string, root: string) => Promise<void>,
): Promise<void> {
  const queue = [...injections];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const injection = next;
      await withFolder((path) => check(injection, join(path, "files")));
    }
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** Asserts that every file except temp files has the size and digest in its name. */
function checkAllFiles(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.endsWith(".tmp")) continue;
    const content = readFileSync(join(entry.parentPath, entry.name));
    const [, , bytes, digest] = entry.name.split("~");
    assert.deepEqual([content.length, sha256(content)], [Number(bytes), digest], entry.name);
  }
}

/** Asserts that acknowledged files are stored, an interrupted promote can be repeated, and temp files can be swept. */
async function checkStore(root: string, lines: string[][]): Promise<void> {
  checkAllFiles(root);
  const store = await openLocalDiskStore(root, { mustExist: lines.some(([step]) => step === "stored") });
  const digests = new Map(lines.filter(([step]) => step === "stored").map(([, from = "", digest]) => [from, digest]));
  const promotedKeys = new Set(lines.filter(([step]) => step === "promoted").map(([, to]) => to));
  for (const [step, from = "", to = "", version = ""] of lines) {
    if (step !== "promoting") continue;
    if (promotedKeys.has(to)) assert.equal(await store.stat(from), undefined);
    assert.ok(await store.promote(from, version, to, "image/png"), `${from} was lost`);
    assert.equal(await readDigest(store, to), digests.get(from));
  }
  await store.sweepTempFiles(systemClock() + 1000);
  assert.deepEqual(readdirSync(join(root, ".tmp")), []);
  await store.write("files/next", toChunks(Buffer.from("next")), writeOptions);
  assert.equal(await readDigest(store, "files/next"), sha256(Buffer.from("next")));
}

describe("the disk store during faults", { skip: skipWithout("strace") }, () => {
  const createRange = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

  test("killed at the Nth write, sync or rename: no acknowledged file is lost or changed", async () => {
    const injections = [
      ...createRange(1, 31, isLongRun ? 1 : 5).map((n) => `fsync:signal=SIGKILL:when=${n}`),
      ...createRange(1, 9, isLongRun ? 1 : 3).map((n) => `rename:signal=SIGKILL:when=${n}`),
      ...createRange(1, 8, isLongRun ? 1 : 3).map((n) => `writev:signal=SIGKILL:when=${n}`),
    ];
    let killedCount = 0;
    let acknowledgedCount = 0;
    await forEachInjection(injections, async (injection, root) => {
      const lines = await runWithFault(root, injection);
      if (!lines.some(([step]) => step === "end")) killedCount++;
      acknowledgedCount += lines.filter(([step]) => step === "stored" || step === "promoted").length;
      assert.ok(!lines.some(([step]) => step === "failed"), injection);
      await checkStore(root, lines);
    });
    assert.ok(killedCount > injections.length * 0.8, `only ${killedCount} of ${injections.length} were killed`);
    assert.ok(acknowledgedCount > injections.length, `only ${acknowledgedCount} steps were acknowledged`);
  });

  test("a full disk, an I/O error or a missing permission: the call fails with storage_unavailable and leaves no temp file, and the next file is stored", async () => {
    const injections = [
      ...["ENOSPC", "EIO"].map((error) => `writev:error=${error}:when=2`),
      ...createRange(4, 13, 3).map((n) => `fsync:error=EIO:when=${n}`),
      ...["EACCES", "EIO", "ENOSPC"].map((error) => `rename:error=${error}:when=3`),
      `mkdir:error=EACCES:when=5`,
    ];
    await forEachInjection(injections, async (injection, root) => {
      const lines = await runWithFault(root, injection);
      const failures = lines.filter(([step]) => step === "failed");
      assert.deepEqual(failures, [["failed", "storage_unavailable"]], injection);
      assert.equal(lines.filter(([step]) => step === "promoted").length, 3, injection);
      assert.deepEqual(lines.at(-2), ["end"]);
      assert.deepEqual(readdirSync(join(root, ".tmp")), [], injection);
      await checkStore(root, lines);
    });
  });

  test("an I/O error in any sync of a part, even before its last byte: the part is rejected, and stored on another try", async () => {
    const [megabytes, digest] = [24, sha256(Buffer.alloc(24 * 1024 ** 2, "content of the part "))];
    // Two syncs while the part arrives, one at its end, and one of the log.
    const injections = createRange(1, 4).map((n) => `fdatasync:error=EIO:when=${n}`);
    await forEachInjection(injections, async (injection, root) => {
      const lines = await runChildWithFault(injection, "store-part.ts", [root, `${megabytes}`]);
      assert.deepEqual(lines.flat(), ["storage_unavailable", "stored", digest, ""], injection);
    });
  });
});

describe("the file folder at startup (S6)", () => {
  test("is created on the first start, with its parent folders", () =>
    withFolder(async (path) => {
      const store = await openLocalDiskStore(join(path, "a/b/files"));
      await store.write("files/a", toChunks(Buffer.from("x")), writeOptions);
      await store.ping();
      await openLocalDiskStore(join(path, "a/b/files"), { mustExist: true });
    }));

  test("is rejected if it is a file, a broken symbolic link, or inside a file", () =>
    withFolder(async (path) => {
      writeFileSync(join(path, "file"), "x");
      symlinkSync(join(path, "nowhere"), join(path, "link"));
      for (const [root, message] of [
        ["file", /file is not a folder/],
        ["link", /is a broken symbolic link/],
        ["file/below", /not a folder/],
      ] as const)
        await assert.rejects(openLocalDiskStore(join(path, root)), { name: "UnusableFolderError", message });
      assert.deepEqual(readdirSync(path).toSorted(), ["file", "link"]);
    }));

  test("is rejected if it is missing or empty although files were stored before, as when the volume is not mounted", () =>
    withFolder(async (path) => {
      mkdirSync(join(path, "empty"));
      for (const root of ["missing", "empty"])
        await assert.rejects(openLocalDiskStore(join(path, root), { mustExist: true }), /missing or empty/);
      assert.deepEqual(readdirSync(path), ["empty"]);
    }));

  test("may be a symbolic link to a folder", () =>
    withFolder(async (path) => {
      mkdirSync(join(path, "real"));
      symlinkSync(join(path, "real"), join(path, "link"));
      const store = await openLocalDiskStore(join(path, "link"));
      await store.write("files/a", toChunks(Buffer.from("x")), writeOptions);
      assert.ok(readdirSync(join(path, "real")).includes("files"));
    }));

  test("is rejected if it is not writable", { skip: skipWithout("strace") }, () =>
    withFolder(async (path) => {
      const program = `import { openDiskStore } from "#storage/disk/disk-store.ts";
        await openDiskStore({ root: ${JSON.stringify(join(path, "files"))}, urls: {}, clock: () => 0 }).catch((error) => console.log(error.message));`;
      for (const [error, message] of [
        ["EROFS", /read-only file system/],
        ["EACCES", /is not writable by this user/],
        ["ENOSPC", /full disk/],
      ] as const) {
        const output = await runNodeWithFault(`fsync:error=${error}`, ["--input-type=module", "-e", program]);
        assert.match(output, message);
      }
    }),
  );

  test("the sweep deletes old temp files that a crash left, and keeps new ones (S8)", () =>
    withFolder(async (path) => {
      const store = await openLocalDiskStore(path);
      const [oldFile, newFile] = [join(path, ".tmp/old"), join(path, ".tmp/new")];
      writeFileSync(oldFile, "x");
      writeFileSync(newFile, "x");
      utimesSync(oldFile, new Date(), new Date(systemClock() - hours(2)));
      assert.equal(await store.sweepTempFiles(systemClock() - hours(1)), 1);
      assert.deepEqual(readdirSync(join(path, ".tmp")), ["new"]);
    }));
});
