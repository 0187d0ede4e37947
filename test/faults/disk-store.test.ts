import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openDiskStore, type DiskOptions, type DiskStore } from "#storage/disk/disk-store.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { findProgram } from "../support/find-program.ts";
import { toChunks, readDigest, sha256 } from "../support/stores.ts";

const refuse = async (): Promise<string> => Promise.reject(new Error("no addresses here"));
const addresses = { origin: "http://localhost", forUpload: refuse, forPart: refuse, forDownload: refuse };
const openAt = (root: string, options: Partial<DiskOptions> = {}): Promise<DiskStore> =>
  openDiskStore({ root, urls: addresses, clock: () => Date.now(), minFreeBytes: 0, ...options });

const strace = findProgram("strace") ?? "";
const writing = { mimeType: "image/png", maxBytes: 1_000_000 };
const child = join(import.meta.dirname, "../support/children/store-files.ts");

interface Life {
  lines: string[][];
  signal: string | null;
}

/** A process that stores files while the system does to its calls what `inject` says. */
async function live(root: string, inject: string): Promise<Life> {
  const [call] = inject.split(":");
  const args = ["-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", `inject=${inject}`];
  const options = JSON.stringify({ root, count: 4, bytes: 1_500_000 });
  const tracer = spawn(strace, [...args, process.execPath, child, options], {
    stdio: ["ignore", "pipe", "inherit"],
    // One thread for files: then the Nth call is the same one each time.
    env: { ...process.env, UV_THREADPOOL_SIZE: "1" },
  });
  const heard: Buffer[] = [];
  tracer.stdout.on("data", (chunk: Buffer) => heard.push(chunk));
  const [, signal] = (await once(tracer, "close")) as [number | null, string | null];
  const lines = Buffer.concat(heard)
    .toString()
    .split("\n")
    .map((line) => line.split(" "));
  return { lines, signal };
}

/** Two at a time: most of a life is waiting for the disk. */
async function eachOf(injections: string[], check: (inject: string) => Promise<void>): Promise<void> {
  const rest = [...injections];
  const worker = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) await check(next);
  };
  await Promise.all([worker(), worker(), worker()]);
}

/** Every file outside the temporary folder is what its name says: its size, and its digest. */
function checkAllFiles(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.endsWith(".tmp")) continue;
    const content = readFileSync(join(entry.parentPath, entry.name));
    const [, , bytes, digest] = entry.name.split("~");
    assert.equal(content.length, Number(bytes), entry.name);
    assert.equal(createHash("sha256").update(content).digest("hex"), digest, entry.name);
  }
}

/** What was acknowledged is there, what was under way can be finished, and the rest can be swept. */
async function checkAfter(root: string, lines: string[][]): Promise<void> {
  checkAllFiles(root);
  const store = await openAt(root, { mustExist: lines.some(([word]) => word === "stored") });
  const digests = new Map(lines.filter(([word]) => word === "stored").map(([, from = "", digest]) => [from, digest]));
  const promoted = new Set(lines.filter(([word]) => word === "promoted").map(([, to]) => to));
  for (const [word, from = "", to = "", version = ""] of lines) {
    if (word !== "promoting") continue;
    if (promoted.has(to)) assert.equal(await store.stat(from), undefined);
    assert.ok(await store.promote(from, version, to, "image/png"), `${from} is either here or there`);
    assert.equal(await readDigest(store, to), digests.get(from));
  }
  await store.sweepTempFiles(Date.now() + 1000);
  assert.deepEqual(readdirSync(join(root, ".tmp")), []);
  await store.write("files/next", toChunks(Buffer.from("next")), writing);
  assert.equal(await readDigest(store, "files/next"), sha256(Buffer.from("next")));
}

describe("the disk store on a machine that fails", { skip: strace === "" }, () => {
  const numbers = (from: number, to: number, step = 1) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

  test("killed at the Nth write, sync and rename: nothing acknowledged is lost, nothing is mixed", async () => {
    const calls = [
      ...numbers(1, 31).map((n) => `fsync:signal=SIGKILL:when=${n}`),
      ...numbers(1, 9).map((n) => `rename:signal=SIGKILL:when=${n}`),
      ...numbers(1, 8).map((n) => `writev:signal=SIGKILL:when=${n}`),
    ];
    let killed = 0;
    let acknowledged = 0;
    await eachOf(calls, async (inject) => {
      const folder = createTempFolder();
      try {
        const { lines } = await live(join(folder.path, "files"), inject);
        if (!lines.some(([word]) => word === "end")) killed++;
        acknowledged += lines.filter(([word]) => word === "stored" || word === "promoted").length;
        assert.ok(!lines.some(([word]) => word === "failed"), inject);
        await checkAfter(join(folder.path, "files"), lines);
      } finally {
        folder.remove();
      }
    });
    assert.ok(killed > calls.length * 0.8, `only ${killed} of ${calls.length} were killed`);
    assert.ok(acknowledged > calls.length, `only ${acknowledged} steps were acknowledged`);
  });

  test("full, broken, not allowed: an error that says so, no acknowledgement, nothing left, and the next one works", async () => {
    const calls = [
      ...["ENOSPC", "EIO"].map((error) => `writev:error=${error}:when=2`),
      ...numbers(4, 13, 3).map((n) => `fsync:error=EIO:when=${n}`),
      ...["EACCES", "EIO", "ENOSPC"].map((error) => `rename:error=${error}:when=3`),
      `mkdir:error=EACCES:when=5`,
    ];
    await eachOf(calls, async (inject) => {
      const folder = createTempFolder();
      const root = join(folder.path, "files");
      try {
        const { lines } = await live(root, inject);
        const failed = lines.filter(([word]) => word === "failed");
        assert.deepEqual(failed, [["failed", "storage_unavailable"]], inject);
        assert.equal(lines.filter(([word]) => word === "promoted").length, 3, inject);
        assert.deepEqual(lines.at(-2), ["end"]);
        assert.deepEqual(readdirSync(join(root, ".tmp")), [], inject);
        await checkAfter(root, lines);
      } finally {
        folder.remove();
      }
    });
  });
});

describe("the folder for files at start (S6)", () => {
  const inFolder = async (check: (path: string) => Promise<void>): Promise<void> => {
    const folder = createTempFolder();
    try {
      await check(folder.path);
    } finally {
      folder.remove();
    }
  };

  test("is made on the first start, with what is above it", () =>
    inFolder(async (path) => {
      const store = await openAt(join(path, "a/b/files"));
      await store.write("files/a", toChunks(Buffer.from("x")), writing);
      await store.ping();
      await openAt(join(path, "a/b/files"), { mustExist: true });
    }));

  test("is refused where it is a file, a link to nothing, or below a file", () =>
    inFolder(async (path) => {
      writeFileSync(join(path, "file"), "x");
      symlinkSync(join(path, "nowhere"), join(path, "link"));
      const refused = { name: "UnusableFolderError" };
      await assert.rejects(openAt(join(path, "file")), { ...refused, message: /file is not a folder/ });
      await assert.rejects(openAt(join(path, "link")), { ...refused, message: /is a broken symbolic link/ });
      await assert.rejects(openAt(join(path, "file/below")), { ...refused, message: /not a folder/ });
      assert.deepEqual(
        readdirSync(path).toSorted((a, b) => a.localeCompare(b)),
        ["file", "link"],
      );
    }));

  test("is refused where files were stored before and none are there: the volume is not mounted", () =>
    inFolder(async (path) => {
      mkdirSync(join(path, "empty"));
      for (const root of ["missing", "empty"])
        await assert.rejects(openAt(join(path, root), { mustExist: true }), { message: /missing or empty/ });
      assert.deepEqual(readdirSync(path), ["empty"]);
    }));

  test("may be a link to a folder", () =>
    inFolder(async (path) => {
      mkdirSync(join(path, "real"));
      symlinkSync(join(path, "real"), join(path, "link"));
      const store = await openAt(join(path, "link"));
      await store.write("files/a", toChunks(Buffer.from("x")), writing);
      assert.ok(readdirSync(join(path, "real")).includes("files"));
    }));

  test("is refused where it cannot be written", { skip: strace === "" }, () =>
    inFolder(async (path) => {
      const program = `import { openDiskStore } from "#storage/disk/disk-store.ts";
        await openDiskStore({ root: ${JSON.stringify(join(path, "files"))}, addresses: {}, clock: Date.now }).catch((e) => console.log(e.message));`;
      for (const [error, words] of [
        ["EROFS", /read-only file system/],
        ["EACCES", /is not writable by this user/],
        ["ENOSPC", /full disk/],
      ] as const) {
        const trace = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", `inject=fsync:error=${error}`];
        const node = [process.execPath, "--input-type=module", "-e", program];
        const tracer = spawn(strace, [...trace, ...node], {
          stdio: ["ignore", "pipe", "inherit"],
          cwd: join(import.meta.dirname, "../.."),
        });
        const said: Buffer[] = [];
        tracer.stdout.on("data", (chunk: Buffer) => said.push(chunk));
        await once(tracer, "close");
        assert.match(Buffer.concat(said).toString(), words);
      }
    }),
  );

  test("temporary files that a crash left are swept when they are old, and not before (S8)", () =>
    inFolder(async (path) => {
      const store = await openAt(path);
      const [old, young] = [join(path, ".tmp/old"), join(path, ".tmp/young")];
      writeFileSync(old, "x");
      writeFileSync(young, "x");
      utimesSync(old, new Date(), new Date(Date.now() - 7_200_000));
      assert.equal(await store.sweepTempFiles(Date.now() - 3_600_000), 1);
      assert.deepEqual(readdirSync(join(path, ".tmp")), ["young"]);
    }));
});
