import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { openSqliteFile } from "#db/sqlite-file.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { systemClock } from "#lib/clock.ts";
import { findVersions } from "#storage/disk/layout.ts";
import { createBackup, type Backup } from "#ops/backup.ts";
import { restoreBackup } from "#ops/restore.ts";
import { createDeps, silentLog } from "../support/engines.ts";
import { skipWithout } from "../support/find-program.ts";
import { openLocalDiskStore } from "../support/local-disk-store.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain } from "../support/main-process.ts";
import {
  createCredentials,
  fetchAssetDigest,
  callToolOk,
  uploadInline,
  probeAccess,
} from "../support/service-access.ts";
import { runCommand } from "../support/operator-commands.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { newStudio } from "../support/users.ts";
import { assertRestorable, callTrash, createTrashedPost } from "../support/trash-sample.ts";

const folder = createTempFolder();
after(() => folder.remove());
const backups = join(folder.path, "backups");
const reportProgress = (): void => {};

test("a backup taken under load restores to a service with matching rows and digests: copies, trash, history, comments, undo data and access included (LIB-2, TRASH-6, COM-5)", async () => {
  const [dataDir, restoredDir] = [join(folder.path, "live"), join(folder.path, "restored")];
  const base = await findFreeBaseUrl();
  const createEnv = (dataFolder: string) => {
    return { DATA_DIR: dataFolder, BASE_URL: base, PORT: new URL(base).port, RATE_LIMITS: "off" };
  };
  let service = await startMain(createEnv(dataDir));
  try {
    const credentials = await createCredentials({ databaseUrl: undefined, dataDir }, base);
    const { token, postId } = credentials;
    const digests = new Map<string, string>();
    const deletedIds = new Set<string>();
    const upload = async (): Promise<string> => {
      const { id, sha256 } = await uploadInline(base, token);
      digests.set(id, sha256);
      return id;
    };
    for (let i = 0; i < 30; i++) await upload();
    const uploadedIds = [...digests.keys()];
    // The originals of some copies are deleted during the backup.
    for (const id of [...uploadedIds.slice(0, 3), ...uploadedIds.slice(-5)]) {
      const copy = await callToolOk<{ assetId: string }>(base, token, "copy_asset", { assetId: id });
      digests.set(copy.assetId, digests.get(id) ?? "");
    }
    const trashedPost = await createTrashedPost(base, credentials);
    const initialIds = [...digests.keys()];
    // Until the backup has ended, a concurrent writer uploads and deletes files, and updates the post.
    const backupEnded = new AbortController();
    const deletableIds = uploadedIds.slice(10).toReversed();
    const write = async (): Promise<void> => {
      for (let i = 0; !backupEnded.signal.aborted; i++) {
        const newId = await upload();
        const assetId = deletableIds.pop() ?? newId;
        deletedIds.add(assetId);
        await callToolOk(base, token, "delete_asset", { assetId });
        const { revision } = await callToolOk<{ revision: number }>(base, token, "get_post", { postId });
        await callToolOk(base, token, "update_post", { postId, title: `Title ${i}`, revision });
      }
    };
    const writer = write();
    let command: Awaited<ReturnType<typeof runCommand>>;
    let deletedBefore: number;
    do {
      // On a busy machine, a backup can end before the writer has deleted a file.
      deletedBefore = deletedIds.size;
      command = await runCommand(["backup", backups], createEnv(dataDir));
      assert.equal(command.code, 0, command.output);
    } while (deletedIds.size < deletedBefore + 2);
    backupEnded.abort();
    await writer;
    assert.match(command.output, /contains the generated secret/);
    const [path = ""] = command.stdout.split("\n", 1);
    assert.deepEqual([readMode(path), readMode(join(path, "secret"))], [0o700, 0o600]);
    await service.kill();

    const restore = await runCommand(["restore", path], createEnv(restoredDir));
    assert.equal(restore.code, 0, restore.output);
    assert.equal(readMode(join(restoredDir, "secret")), 0o600);
    service = await startMain(createEnv(restoredDir));
    assert.deepEqual(
      await probeAccess(base, credentials),
      [200, 200, 200],
      "the token, session and link from before the backup are valid",
    );
    const records = readAssets(restoredDir);
    for (const { id, version, trash_expires_at: expiresAt } of records) {
      if (id === trashedPost.assetId) continue;
      assert.equal(version, digests.get(id));
      if (expiresAt !== null) await callTrash(base, credentials, "POST", `/${id}/restore`);
      assert.equal(await fetchAssetDigest(base, token, id), digests.get(id), id);
    }
    const ids = new Set(records.map(({ id }) => id));
    const missingIds = initialIds.filter((id) => !deletedIds.has(id) && !ids.has(id));
    assert.deepEqual(missingIds, [], "no undeleted file from before the backup is missing");
    await assertRestorable(base, credentials, trashedPost);
    await uploadInline(base, token);
    await service.kill();
    assertConsistent(restoredDir);
  } finally {
    await service.kill();
  }
});

describe("backup and restore of a data folder", () => {
  let folderCount = 0;
  const newFolder = (): string => join(folder.path, `data-${++folderCount}`);

  /** Creates a data folder with twenty files. The last one is on a post, and has a copy. */
  async function createDataFolder() {
    const dataDir = newFolder();
    const database = await openDatabase({ databaseUrl: undefined, dataDir, log: silentLog });
    const deps = { ...createDeps(database, systemClock), files: await openLocalDiskStore(join(dataDir, "files")) };
    const owner = await newStudio(deps);
    const { id: postId } = await createPost(deps, owner, { title: "A post", body: "" });
    const assetIds: string[] = [];
    for (let i = 0; i < 20; i++) {
      const base64 = Buffer.alloc(i === 0 ? 2_000_000 : 2000, `text ${i}`).toString("base64");
      const input = { kind: "document", mimeType: "text/plain", base64 } as const;
      assetIds.push((await uploadAssetInline(deps, owner, input)).assetId);
    }
    const [otherId = "", attachedId = ""] = assetIds.slice(-2);
    await attachAsset(deps, owner, { postId, assetId: attachedId });
    const { assetId: copyId } = await copyAsset(deps, owner, { assetId: attachedId });
    await database.close();
    writeFileSync(join(dataDir, "secret"), "s".repeat(32), { mode: 0o600 });
    return { dataDir, postId, attachedId, otherId, copyId };
  }
  const backUp = (dataDir: string, report: (text: string) => void = reportProgress): Promise<Backup> =>
    createBackup({ dataDir, targetFolder: backups, version: "0", clock: systemClock, reportProgress: report });
  const restore = (from: string, dataDir = newFolder()) => restoreBackup({ from, dataDir, reportProgress });

  test("without concurrent writers, a backup contains every row of every table, and restores them", async () => {
    const { dataDir } = await createDataFolder();
    const rowsBefore = dumpTables(dataDir);
    const { path, hasSecret } = await backUp(dataDir);
    assert.equal(hasSecret, true);
    assert.deepEqual(dumpTables(path), rowsBefore);
    const restoredDir = newFolder();
    await restore(path, restoredDir);
    assert.deepEqual(dumpTables(restoredDir), rowsBefore);
    assert.equal(readFileSync(join(restoredDir, "secret"), "utf8"), readFileSync(join(dataDir, "secret"), "utf8"));
    const partialBackups = readdirSync(backups).filter((name) => name.endsWith(".partial"));
    assert.deepEqual(partialBackups, []);
  });

  test("omits the records of a file that is deleted after the database was copied, and lists a lost file (LIB-2)", async () => {
    const { dataDir, postId, attachedId: deletedId, otherId: lostId, copyId } = await createDataFolder();
    const keys = new Map(readAssets(dataDir).map(({ id, storage_key: key }) => [id, key]));
    const [deletedKey = "", lostKey = ""] = [keys.get(deletedId), keys.get(lostId)];
    const findFile = async (key: string) => (await findVersions(join(dataDir, "files"), key))[0]?.path ?? "";
    const lostPaths = [await findFile(deletedKey), await findFile(lostKey)];
    let firstReport = "";
    const { path, manifest } = await backUp(dataDir, (text) => {
      if (!text.startsWith("copied") || firstReport !== "") return;
      firstReport = text;
      const liveDatabase = new DatabaseSync(join(dataDir, "atelier.db"));
      liveDatabase.exec(
        `DELETE FROM assets WHERE id IN ('${deletedId}', '${copyId}');
         DELETE FROM shared_files WHERE storage_key = '${deletedKey}';
         UPDATE posts SET asset_count = asset_count - 1 WHERE id = '${postId}'`,
      );
      liveDatabase.close();
      for (const lostPath of lostPaths) rmSync(lostPath);
    });
    assert.match(firstReport, /^copied 1 of 20 /, "the progress counts files of assets, not the secret file");
    assert.deepEqual(manifest.lost, [lostKey]);
    const ids = readAssets(path).map(({ id }) => id);
    assert.deepEqual(
      [deletedId, copyId, lostId].map((id) => ids.includes(id)),
      [false, false, true],
    );
    assertConsistent(path);

    const command = await runCommand(["backup", backups], { DATA_DIR: dataDir });
    assert.equal(command.code, 1, "lost files make the command fail");
    assert.match(command.output, /The backup is complete, but 1 files were already missing or damaged/);
  });

  /** Damages one file of a backup after the other. */
  async function assertRejected(
    listDamage: (backedUpFile: string, others: readonly string[]) => [path: string, damage: (path: string) => void][],
  ): Promise<void> {
    const { path } = await backUp((await createDataFolder()).dataDir);
    const checksums = readFileSync(join(path, "SHA256SUMS"), "utf8").split("\n");
    const filePath = join(path, checksums.find((line) => line.includes("files/files"))?.slice(66) ?? "");
    const others = ["atelier.db", "secret", "SHA256SUMS", "manifest.json"].map((name) => join(path, name));
    for (const [damagedPath, damage] of listDamage(filePath, others)) {
      const content = readFileSync(damagedPath);
      damage(damagedPath);
      const target = newFolder();
      await assert.rejects(restore(path, target), /is damaged|is not a backup/, damagedPath);
      assert.equal(existsSync(target), false, damagedPath);
      rmSync(damagedPath, { force: true });
      writeFileSync(damagedPath, content);
    }
    await assert.rejects(restore(`${path}.partial`), /incomplete backup/);
    await restore(path); // after the last repair
  }

  test("rejects a damaged or incomplete backup and writes nothing", () => {
    const flipBit = (damagedPath: string): void => {
      const content = readFileSync(damagedPath);
      content[content.length >> 1]! ^= 1;
      writeFileSync(damagedPath, content);
    };
    return assertRejected((filePath, others) => [
      ...[filePath, ...others.slice(0, 3)].map((path): [string, typeof flipBit] => [path, flipBit]),
      ...[filePath, ...others.slice(2)].map((path): [string, typeof rmSync] => [path, rmSync]),
      [filePath, (path) => appendFileSync(path, "x")],
    ]);
  });

  test("rejects a backup with a named pipe in place of a file", { skip: skipWithout("mkfifo") }, () => {
    const replaceByPipe = (path: string): void => {
      rmSync(path);
      execFileSync("mkfifo", [path]);
    };
    return assertRejected((filePath, others) =>
      [filePath, ...others].map((path): [string, typeof replaceByPipe] => [path, replaceByPipe]),
    );
  });

  test("rejects a backup without a database and one of a newer version, and writes nothing", async () => {
    const { path } = await backUp((await createDataFolder()).dataDir);
    const manifestPath = join(path, "manifest.json");
    const seal = (sums: string): void => {
      writeFileSync(join(path, "SHA256SUMS"), sums);
      const manifest = { ...JSON.parse(readFileSync(manifestPath, "utf8")), files: sums.split("\n").length - 1 };
      writeFileSync(manifestPath, JSON.stringify({ ...manifest, sums: hash("sha256", sums) }));
    };
    const lines = readFileSync(join(path, "SHA256SUMS"), "utf8").split("\n");
    const target = newFolder();
    seal(lines.filter((line) => !line.endsWith("  atelier.db")).join("\n"));
    await assert.rejects(restore(path, target), /is damaged: SHA256SUMS does not list atelier\.db/);

    const database = new DatabaseSync(join(path, "atelier.db"));
    database.exec("INSERT INTO schema_migrations VALUES ('9999-later.sql', 'x', 0)");
    database.close();
    const digest = hash("sha256", readFileSync(join(path, "atelier.db")));
    seal(lines.map((line) => (line.endsWith("  atelier.db") ? `${digest}  atelier.db` : line)).join("\n"));
    await assert.rejects(restore(path, target), /created by a newer version: it has 9999-later\.sql/);
    assert.equal(existsSync(target), false);
  });

  test("rejects a restore into a non-empty folder, and a backup into the data folder or without a database", async () => {
    const { dataDir } = await createDataFolder();
    const { path } = await backUp(dataDir);
    await assert.rejects(restore(path, dataDir), /is not empty/);
    const options = { version: "0", clock: systemClock, reportProgress };
    const targetFolder = join(dataDir, "x");
    await assert.rejects(createBackup({ ...options, dataDir, targetFolder }), /is inside the data folder/);
    const emptyFolder = newFolder();
    mkdirSync(emptyFolder);
    await assert.rejects(backUp(emptyFolder), /There is no database/);
  });
});

test("the commands reject PostgreSQL and wrong arguments, and print their help", async () => {
  const [postgres, withoutFolder, unknownOption, help] = await Promise.all([
    runCommand(["backup", backups], { DATA_DIR: folder.path, DATABASE_URL: "postgres://localhost/x" }),
    runCommand(["backup"], {}),
    runCommand(["backup", "--fast"], {}),
    runCommand(["restore", "--help"], {}),
  ]);
  assert.equal(postgres.code, 1);
  assert.match(postgres.output, /pg_dump/);
  assert.deepEqual([withoutFolder.code, unknownOption.code, help.code], [2, 2, 0]);
});

const readMode = (path: string): number => statSync(path).mode & 0o777;

interface AssetRow {
  id: string;
  version: string;
  storage_key: string;
  trash_expires_at: number | null;
}

function readAssets(dataFolder: string): AssetRow[] {
  const db = new DatabaseSync(join(dataFolder, "atelier.db"));
  const rows = db.prepare("SELECT id, version, storage_key, trash_expires_at FROM assets WHERE status = 'ready'").all();
  db.close();
  return rows as unknown as AssetRow[];
}

/** Returns every row of every table. */
function dumpTables(dataFolder: string): Record<string, string[]> {
  const db = openSqliteFile(dataFolder, { isExclusive: false });
  const tables = db
    .listTables()
    .map((table): [string, string[]] => [
      table.name,
      [...db.readRows(table)].map((row) => JSON.stringify(row)).toSorted(),
    ]);
  db.close();
  return Object.fromEntries(tables);
}

/** Asserts that the database passes its integrity checks and that its counts are correct. */
function assertConsistent(dataFolder: string): void {
  const db = new DatabaseSync(join(dataFolder, "atelier.db"));
  const select = (sql: string) => db.prepare(sql).all();
  assert.deepEqual(Object.values(select("PRAGMA integrity_check")[0] ?? {}), ["ok"]);
  assert.deepEqual(select("PRAGMA foreign_key_check"), []);
  assert.deepEqual(
    select(`SELECT p.id FROM posts p WHERE asset_count <> (SELECT COUNT(*) FROM assets a WHERE a.post_id = p.id)`),
    [],
  );
  assert.deepEqual(
    select(`SELECT s.id FROM studios s
          WHERE used_bytes <> (SELECT COALESCE(SUM(charged_bytes), 0)
                                 FROM (SELECT * FROM assets GROUP BY COALESCE(storage_key, id)) a
                                WHERE a.studio_id = s.id)`),
    [],
  );
  assert.deepEqual(
    select(`SELECT storage_key FROM shared_files f
             WHERE asset_count <> (SELECT COUNT(*) FROM assets a WHERE a.storage_key = f.storage_key)`),
    [],
  );
  db.close();
}
