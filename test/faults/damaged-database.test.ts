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
import { sha256 } from "../support/stores.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { newStudio } from "../support/users.ts";
import { startHelper } from "../support/helper-process.ts";

/** SQLite only: PostgreSQL checks its own files. */
describe("a damaged SQLite database", () => {
  const root = createTempFolder();
  const intactDir = join(root.path, "intact");
  let copyCount = 0;

  before(async () => {
    const database = await openDatabase({ databaseUrl: undefined, dataDir: intactDir, log: silentLog });
    const deps = createDeps(database, createTestClock());
    const owner = await newStudio(deps);
    for (let i = 0; i < 200; i++) await createPost(deps, owner, { title: `P${i}`, body: "x".repeat(500) });
    await database.close();
    writeFileSync(join(intactDir, "secret"), "s".repeat(32));
  });
  after(() => root.remove());

  function copyFolder(folder: string): string {
    const copy = join(root.path, `copy-${++copyCount}`);
    mkdirSync(copy);
    for (const name of readdirSync(folder)) copyFileSync(join(folder, name), join(copy, name));
    return copy;
  }

  const open = (dataDir: string) => openDatabase({ databaseUrl: undefined, dataDir, log: silentLog });

  function digestFiles(dataDir: string): Record<string, string> {
    const digests = readdirSync(dataDir).map((name) => [name, sha256(readFileSync(join(dataDir, name)))] as const);
    return Object.fromEntries(digests);
  }

  function overwrite(file: string, position: number, bytes: Buffer): void {
    const handle = openSync(file, "r+");
    writeSync(handle, bytes, 0, bytes.length, position);
    closeSync(handle);
  }

  const truncateToHalf = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));
  const createNoise = (length: number) => createHash("shake256", { outputLength: length }).update("noise").digest();

  const damageCases: Record<string, (dataDir: string, file: string) => void> = {
    "first bytes overwritten": (_, file) => overwrite(file, 0, createNoise(16)),
    "whole header overwritten": (_, file) => overwrite(file, 0, createNoise(100)),
    "first page overwritten": (_, file) => overwrite(file, 100, createNoise(3900)),
    "a page in the middle overwritten": (_, file) =>
      overwrite(file, Math.floor(statSync(file).size / 2 / 4096) * 4096, createNoise(4096)),
    "truncated to half": (_, file) => truncateToHalf(file),
    "truncated to its first page": (_, file) => truncateSync(file, 4096),
    "truncated to a few bytes": (_, file) => truncateSync(file, 50),
    "replaced by text": (_, file) => writeFileSync(file, "This is not a database.\n".repeat(1000)),
    "empty, with other files in the folder": (_, file) => truncateSync(file, 0),
    "missing, with other files in the folder": (_, file) => rmSync(file),
    "replaced by a folder": (_, file) => {
      rmSync(file);
      mkdirSync(file);
    },
    "missing, with its journal in the folder": (dataDir, file) => {
      rmSync(join(dataDir, "secret"));
      rmSync(file);
      writeFileSync(`${file}-wal`, createNoise(5000));
    },
  };

  for (const [name, damage] of Object.entries(damageCases)) {
    test(`${name}: opening fails with an error that names the file, and changes nothing (RUN-6, D6)`, async () => {
      const dataDir = copyFolder(intactDir);
      damage(dataDir, join(dataDir, databaseFileName));
      const digestsBefore = name === "replaced by a folder" ? undefined : digestFiles(dataDir);
      await assert.rejects(
        open(dataDir),
        (error) => error instanceof DamagedDatabaseError && error.message.includes(join(dataDir, databaseFileName)),
      );
      await assert.rejects(open(dataDir), DamagedDatabaseError, "also the second time");
      if (digestsBefore) assert.deepEqual(digestFiles(dataDir), digestsBefore);
    });
  }

  test("truncated to half, with the journal of a killed process: opening fails and changes nothing (RUN-6, D6)", async () => {
    const liveDir = copyFolder(intactDir);
    const helper = startHelper("write-posts.ts", { databaseUrl: undefined, dataDir: liveDir, concurrency: 1 });
    await helper.waitForLine("loaded");
    helper.letRun();
    await helper.waitForLine("saved");
    await helper.kill();
    assert.ok(statSync(join(liveDir, `${databaseFileName}-wal`)).size > 0);
    const dataDir = copyFolder(liveDir);
    truncateToHalf(join(dataDir, databaseFileName));
    rmSync(join(dataDir, `${databaseFileName}-shm`)); // the index of the journal, which SQLite recreates on open
    const digestsBefore = digestFiles(dataDir);
    await assert.rejects(open(dataDir), DamagedDatabaseError);
    const { [`${databaseFileName}-shm`]: _, ...digestsAfter } = digestFiles(dataDir);
    assert.deepEqual(digestsAfter, digestsBefore);
  });

  test("an undamaged copy opens (RUN-6)", async () => {
    const database = await open(copyFolder(intactDir));
    assert.equal((await database.q.selectFrom("posts").select("id").execute()).length, 200);
    await database.close();
  });

  test("creates a database if the data folder is missing, empty, or has only hidden files or lost+found (RUN-3)", async () => {
    const cases: Record<string, (dataDir: string) => void> = {
      missing: () => {},
      empty: (dataDir) => mkdirSync(dataDir, { recursive: true }),
      hidden: (dataDir) => {
        mkdirSync(dataDir, { recursive: true });
        writeFileSync(join(dataDir, ".keep"), "");
      },
      "lost+found": (dataDir) => mkdirSync(join(dataDir, "lost+found"), { recursive: true }),
    };
    for (const [name, prepare] of Object.entries(cases)) {
      const dataDir = join(root.path, `fresh-${name}`, "data");
      prepare(dataDir);
      const database = await open(dataDir);
      await database.ping();
      await database.close();
      if (name === "missing")
        assert.equal(statSync(dataDir).mode & 0o007, 0, "a new data folder is not readable by other users");
    }
  });
});
