import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { databaseFileName, openDatabase } from "#db/open-database.ts";
import { DamagedDatabaseError } from "#db/sqlite.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { createTestClock } from "../support/clock.ts";
import { createDeps, silentLog } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { newStudio } from "../support/users.ts";
import { startHelper } from "../support/helper-process.ts";

/** SQLite only: PostgreSQL looks after its own files. */
describe("a damaged database", () => {
  const root = createTempFolder();
  const sound = join(root.path, "sound");
  let number = 0;

  before(async () => {
    const database = await openDatabase({ databaseUrl: undefined, dataDir: sound, log: silentLog });
    const deps = createDeps(database, createTestClock());
    const owner = await newStudio(deps);
    for (let i = 0; i < 200; i++) await createPost(deps, owner, { title: `P${i}`, body: "x".repeat(500) });
    await database.close();
    writeFileSync(join(sound, "secret"), "s".repeat(32));
  });
  after(() => root.remove());

  /** A copy of the sound folder to harm. */
  function copyOf(folder: string): string {
    const copy = join(root.path, `copy-${++number}`);
    mkdirSync(copy);
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name));
    return copy;
  }

  const open = (dataDir: string) => openDatabase({ databaseUrl: undefined, dataDir, log: silentLog });

  function fingerprint(dataDir: string): Record<string, string> {
    const names = readdirSync(dataDir).toSorted();
    return Object.fromEntries(
      names.map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(dataDir, name)))
          .digest("hex"),
      ]),
    );
  }

  function overwrite(file: string, at: number, bytes: Buffer): void {
    const handle = openSync(file, "r+");
    writeSync(handle, bytes, 0, bytes.length, at);
    closeSync(handle);
  }

  const half = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));
  const noise = (length: number) => createHash("shake256", { outputLength: length }).update("noise").digest();

  const harms: Record<string, (dataDir: string, file: string) => void> = {
    "garbled in its first bytes": (_, file) => overwrite(file, 0, noise(16)),
    "garbled in its whole header": (_, file) => overwrite(file, 0, noise(100)),
    "garbled in its first page": (_, file) => overwrite(file, 100, noise(3900)),
    "garbled in a page of its middle": (_, file) =>
      overwrite(file, Math.floor(statSync(file).size / 2 / 4096) * 4096, noise(4096)),
    "cut to half": (_, file) => half(file),
    "cut to its first page": (_, file) => truncateSync(file, 4096),
    "cut to a few bytes": (_, file) => truncateSync(file, 50),
    "overwritten with text": (_, file) => writeFileSync(file, "This is not a database.\n".repeat(1000)),
    "empty beside other files": (_, file) => truncateSync(file, 0),
    "missing beside other files": (_, file) => rmSync(file),
    "a folder": (_, file) => {
      rmSync(file);
      mkdirSync(file);
    },
    "missing beside its own journal": (dataDir, file) => {
      rmSync(join(dataDir, "secret"));
      rmSync(file);
      writeFileSync(`${file}-wal`, noise(5000));
    },
  };

  for (const [name, harm] of Object.entries(harms)) {
    test(`${name}: refused with what and where, and left as it is (RUN-6, D6)`, async () => {
      const dataDir = copyOf(sound);
      harm(dataDir, join(dataDir, databaseFileName));
      const before = name === "a folder" ? undefined : fingerprint(dataDir);
      await assert.rejects(
        open(dataDir),
        (error) => error instanceof DamagedDatabaseError && error.message.includes(join(dataDir, databaseFileName)),
      );
      await assert.rejects(open(dataDir), DamagedDatabaseError, "the second time as well");
      if (before) assert.deepEqual(fingerprint(dataDir), before);
    });
  }

  test("cut to half beside the journal of a process that was killed: refused and left as it is (RUN-6, D6)", async () => {
    const live = copyOf(sound);
    const helper = startHelper("write-posts.ts", { databaseUrl: undefined, dataDir: live, parallel: 1 });
    await helper.waitForLine("started");
    helper.signalStart();
    await helper.waitForLine("saved");
    await helper.kill();
    assert.ok(statSync(join(live, `${databaseFileName}-wal`)).size > 0);
    const dataDir = copyOf(live);
    half(join(dataDir, databaseFileName));
    rmSync(join(dataDir, `${databaseFileName}-shm`)); // an index of the journal that is made anew by whoever looks
    const before = fingerprint(dataDir);
    await assert.rejects(open(dataDir), DamagedDatabaseError);
    const { [`${databaseFileName}-shm`]: _, ...now } = fingerprint(dataDir);
    assert.deepEqual(now, before);
  });

  test("the same folder unharmed opens (RUN-6)", async () => {
    const database = await open(copyOf(sound));
    assert.equal((await database.q.selectFrom("posts").select("id").execute()).length, 200);
    await database.close();
  });

  test("a folder that is missing, empty, or has only what a disk brings by itself is a fresh start (RUN-3)", async () => {
    for (const [index, names] of [[], [".keep"], ["lost+found"]].entries()) {
      const dataDir = join(root.path, `fresh-${index}`, "data");
      if (names.length > 0) mkdirSync(dataDir, { recursive: true });
      for (const name of names) mkdirSync(join(dataDir, name));
      const database = await open(dataDir);
      await database.ping();
      await database.close();
      assert.equal(
        statSync(dataDir).mode & 0o007,
        names.length > 0 ? statSync(dataDir).mode & 0o007 : 0,
        "not for others to read",
      );
    }
  });
});
