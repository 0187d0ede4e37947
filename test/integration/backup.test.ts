import assert from "node:assert/strict";
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
import { after, before, describe, test } from "node:test";
import { openSqliteFile } from "#db/sqlite-file.ts";
import { findVersions } from "#storage/disk/layout.ts";
import { createBackup } from "#ops/backup.ts";
import { restoreBackup } from "#ops/restore.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import {
  callTool,
  createCredentials,
  fetchAssetDigest,
  callToolOk,
  uploadInline,
  probeAccess,
  type Credentials,
} from "../support/service-access.ts";
import { runCommand } from "../support/operator-commands.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { assertRestorable, callTrash, createTrashedPost } from "../support/trash-sample.ts";

const folder = createTempFolder();
const dataDir = join(folder.path, "data");
const backups = join(folder.path, "backups");

describe("backup and restore", () => {
  let base: string;
  let service: MainProcess | undefined;
  let credentials: Credentials;
  let newestBackup: string;

  const createEnv = (dataFolder = dataDir) => ({
    DATA_DIR: dataFolder,
    BASE_URL: base,
    PORT: new URL(base).port,
    RATE_LIMITS: "off",
  });
  const start = async (dataFolder = dataDir) => void (service = await startMain(createEnv(dataFolder)));
  const stop = async () => {
    await service?.kill();
    service = undefined;
  };
  const backup = async () => {
    const command = await runCommand(["backup", backups], createEnv());
    newestBackup = command.stdout.split("\n", 1)[0] ?? "";
    return command;
  };

  before(async () => {
    base = await findFreeBaseUrl();
    await start();
    credentials = await createCredentials({ databaseUrl: undefined, dataDir }, base);
  });
  after(async () => {
    await stop();
    folder.remove();
  });

  test("a backup taken under load restores to a service with matching rows and digests, copies included (LIB-2)", async () => {
    const digests = new Map<string, string>();
    const deletedIds = new Set<string>();
    for (let i = 0; i < 80; i++) {
      const { id, sha256 } = await uploadInline(base, credentials.token);
      digests.set(id, sha256);
    }
    const copyFile = async (assetId: string) => {
      const copy = await callToolOk<{ assetId: string }>(base, credentials.token, "copy_asset", { assetId });
      digests.set(copy.assetId, digests.get(assetId) ?? "");
    };
    const uploadedIds = [...digests.keys()];
    // The originals of some copies are deleted during the backup.
    for (const id of [...uploadedIds.slice(0, 5), ...uploadedIds.slice(-10)]) await copyFile(id);
    const initialIds = [...digests.keys()];
    // Until the backup has ended, concurrent writers upload and delete files, empty the trash and update the post.
    const backupEnded = new AbortController();
    const deletableIds = uploadedIds.slice(40).toReversed();
    const writers = [0, 1, 2, 3].map(async (writerNumber) => {
      for (let i = 0; !backupEnded.signal.aborted; i++) {
        const { id, sha256 } = await uploadInline(base, credentials.token);
        digests.set(id, sha256);
        const assetId = writerNumber < 3 ? deletableIds.pop() : id;
        if (assetId === undefined) continue;
        deletedIds.add(assetId);
        await callToolOk(base, credentials.token, "delete_asset", { assetId });
        if (i % 3 === 0 && writerNumber < 3) await callTrash(base, credentials, "DELETE"); // at most three at a time
        const post = await callToolOk<{ revision: number }>(base, credentials.token, "get_post", {
          postId: credentials.postId,
        });
        await callTool(base, credentials.token, "update_post", {
          postId: credentials.postId,
          title: `Title ${writerNumber}.${i}`,
          revision: post.revision, // a conflict with another writer is fine
        });
      }
    });
    const command = await backup();
    backupEnded.abort();
    await Promise.all(writers);
    assert.equal(command.code, 0, command.output);
    assert.ok(deletedIds.size > 3, `${deletedIds.size} deleted during the backup`);
    await stop();

    const restoredDir = join(folder.path, "restored");
    const restore = await runCommand(["restore", newestBackup], createEnv(restoredDir));
    assert.equal(restore.code, 0, restore.output);
    await start(restoredDir);
    assert.deepEqual(
      await probeAccess(base, credentials),
      [200, 200, 200],
      "the token, session and link from before the backup are valid",
    );
    const records = readAssets(restoredDir);
    for (const { id, version, trash_expires_at: expiresAt } of records) {
      assert.equal(version, digests.get(id));
      if (expiresAt !== null && expiresAt <= Date.now()) continue; // in the emptied trash, but not yet swept
      if (expiresAt !== null) await callTrash(base, credentials, "POST", `/${id}/restore`);
      assert.equal(await fetchAssetDigest(base, credentials.token, id), digests.get(id), id);
    }
    const ids = new Set(records.map(({ id }) => id));
    assert.deepEqual(
      initialIds.filter((id) => !deletedIds.has(id) && !ids.has(id)),
      [],
      "no undeleted file from before the backup is missing",
    );
    await uploadInline(base, credentials.token);
    await stop();
    assertConsistent(restoredDir);
    await start();
  });

  test("without concurrent writers, a backup contains every row of every table, and restores them", async () => {
    await callToolOk(base, credentials.token, "attach_asset", {
      postId: credentials.postId,
      assetId: (await uploadInline(base, credentials.token, 2_000_000)).id,
    });
    await stop();
    const rowsBefore = dumpTables(dataDir);
    const command = await backup();
    assert.equal(command.code, 0, command.output);
    assert.match(command.output, /contains the generated secret/);
    assert.equal(statSync(join(newestBackup, "secret")).mode & 0o777, 0o600);
    assert.equal(statSync(newestBackup).mode & 0o777, 0o700);
    assert.deepEqual(dumpTables(newestBackup), rowsBefore);
    const restoredDir = join(folder.path, "restored-idle");
    assert.equal((await runCommand(["restore", newestBackup], createEnv(restoredDir))).code, 0);
    assert.deepEqual(dumpTables(restoredDir), rowsBefore);
    assert.equal(readFileSync(join(restoredDir, "secret"), "utf8"), readFileSync(join(dataDir, "secret"), "utf8"));
    assert.equal(statSync(join(restoredDir, "secret")).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(backups).filter((name) => name.endsWith(".partial")),
      [],
    );
    await start();
  });

  test("a restored backup contains deleted posts with their files, history, comments and undo data (TRASH-6, COM-5)", async () => {
    const trashedPost = await createTrashedPost(base, credentials);
    const command = await backup();
    assert.equal(command.code, 0, command.output);
    await stop();
    const restoredDir = join(folder.path, "restored-trash");
    assert.equal((await runCommand(["restore", newestBackup], createEnv(restoredDir))).code, 0);
    await start(restoredDir);
    await assertRestorable(base, credentials, trashedPost);
    await stop();
    assertConsistent(restoredDir);
    await start();
  });

  test("omits the records of a file that is deleted after the database was copied, and lists a lost file (LIB-2)", async () => {
    const [deleted, lost] = [await uploadInline(base, credentials.token), await uploadInline(base, credentials.token)];
    const copy = await callToolOk<{ assetId: string }>(base, credentials.token, "copy_asset", { assetId: deleted.id });
    await callToolOk(base, credentials.token, "attach_asset", { postId: credentials.postId, assetId: deleted.id });
    await stop();
    const keys = new Map(readAssets(dataDir).map(({ id, storage_key: key }) => [id, key]));
    const [deletedFile, lostFile] = await Promise.all(
      [deleted, lost].map(
        async ({ id }) => (await findVersions(join(dataDir, "files"), keys.get(id) ?? ""))[0]?.path ?? "",
      ),
    );
    let firstReport = "";
    const { path, manifest } = await createBackup({
      dataDir,
      targetFolder: backups,
      version: "0",
      clock: () => Date.now() + 5000,
      reportProgress: (text) => {
        if (!text.startsWith("copied") || firstReport !== "") return;
        firstReport = text;
        const liveDatabase = new DatabaseSync(join(dataDir, "atelier.db"));
        liveDatabase.exec(
          `DELETE FROM assets WHERE id IN ('${deleted.id}', '${copy.assetId}'); DELETE FROM shared_files WHERE storage_key = '${keys.get(deleted.id)}'; UPDATE posts SET asset_count = asset_count - 1 WHERE id = '${credentials.postId}'`,
        );
        liveDatabase.close();
        rmSync(deletedFile ?? "");
        rmSync(lostFile ?? "");
      },
    });
    assert.match(firstReport, /^copied 1 of /, "the progress counts assets, not the secret file");
    assert.deepEqual(manifest.lost, [keys.get(lost.id)]);
    const ids = readAssets(path).map(({ id }) => id);
    assert.deepEqual(
      [deleted.id, copy.assetId, lost.id].map((id) => ids.includes(id)),
      [false, false, true],
    );
    assertConsistent(path);

    const command = await backup();
    assert.equal(command.code, 1, "lost files make the command fail");
    assert.match(command.output, /The backup is complete, but 1 files were already missing or damaged/);
    await start();
  });

  test("rejects a damaged or incomplete backup and writes nothing", async () => {
    await backup();
    const target = join(folder.path, "rejected");
    const restoreTo = (to: string, from = newestBackup) =>
      restoreBackup({ from, dataDir: to, reportProgress: () => {} });
    const checksumLine = readFileSync(join(newestBackup, "SHA256SUMS"), "utf8")
      .split("\n")
      .find((line) => line.includes("files/files"));
    const filePath = join(newestBackup, checksumLine?.slice(66) ?? "");
    const damageCases: [description: string, damage: () => void, repair: () => void][] = [
      ...[
        filePath,
        join(newestBackup, "atelier.db"),
        join(newestBackup, "secret"),
        join(newestBackup, "SHA256SUMS"),
      ].map((damagedPath): [string, () => void, () => void] => {
        const original = readFileSync(damagedPath);
        const flipped = Buffer.from(original);
        flipped[original.length >> 1]! ^= 1;
        return [damagedPath, () => writeFileSync(damagedPath, flipped), () => writeFileSync(damagedPath, original)];
      }),
      [
        "longer",
        () => appendFileSync(filePath, "x"),
        () => writeFileSync(filePath, readFileSync(filePath).subarray(0, -1)),
      ],
      ["no checksums", ...createDeletion(join(newestBackup, "SHA256SUMS"))],
      ["no manifest", ...createDeletion(join(newestBackup, "manifest.json"))],
      ["no file", ...createDeletion(filePath)],
    ];
    for (const [description, damage, repair] of damageCases) {
      damage();
      await assert.rejects(restoreTo(target), /is damaged|is not a backup/, description);
      assert.equal(existsSync(target), false, description);
      repair();
    }
    await assert.rejects(restoreTo(target, `${newestBackup}.partial`), /incomplete backup/);
    await restoreTo(target); // after the last repair
  });

  test("rejects a restore into a non-empty folder, and a backup into the data folder, without a database or with PostgreSQL", async () => {
    const notEmpty = await runCommand(["restore", newestBackup], createEnv());
    assert.equal(notEmpty.code, 1);
    assert.match(notEmpty.output, /is not empty/);
    assert.equal((await callTool(base, credentials.token, "whoami")).status, 200);

    assert.match((await runCommand(["backup", join(dataDir, "x")], createEnv())).output, /is inside the data folder/);
    const emptyFolder = join(folder.path, "empty");
    mkdirSync(emptyFolder);
    assert.match((await runCommand(["backup", backups], createEnv(emptyFolder))).output, /There is no database/);
    const postgres = await runCommand(["backup", backups], { ...createEnv(), DATABASE_URL: "postgres://localhost/x" });
    assert.equal(postgres.code, 1);
    assert.match(postgres.output, /pg_dump/);
    for (const args of [["backup"], ["backup", "a", "b"], ["backup", "--fast"]])
      assert.equal((await runCommand(args, createEnv())).code, 2);
    assert.equal((await runCommand(["restore", "--help"], {})).code, 0);
  });
});

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

/** Returns functions that delete the file and write it again. */
function createDeletion(path: string): [damage: () => void, repair: () => void] {
  let content: Buffer;
  return [
    () => {
      content = readFileSync(path);
      rmSync(path);
    },
    () => writeFileSync(path, content),
  ];
}
