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
  runCommand,
  fetchAssetDigest,
  callToolOk,
  uploadInline,
  probeAccess,
  type Credentials,
} from "../support/operator-commands.ts";
import { findFreeBaseUrl } from "../support/service.ts";

const folder = createTempFolder();
const dataDir = join(folder.path, "data");
const backups = join(folder.path, "backups");

describe("backup and restore", () => {
  let base: string;
  let service: MainProcess | undefined;
  let held: Credentials;
  /** The newest backup that the commands made. */
  let made: string;

  const env = (folderOfData = dataDir) => ({
    DATA_DIR: folderOfData,
    BASE_URL: base,
    PORT: new URL(base).port,
    RATE_LIMITS: "off",
  });
  const start = async (folderOfData = dataDir) => void (service = await startMain(env(folderOfData)));
  const stop = async () => {
    await service?.kill();
    service = undefined;
  };
  const backup = async () => {
    const done = await runCommand(["backup", backups], env());
    made = done.result.split("\n", 1)[0] ?? "";
    return done;
  };

  before(async () => {
    base = await findFreeBaseUrl();
    await start();
    held = await createCredentials({ databaseUrl: undefined, dataDir }, base);
  });
  after(async () => {
    await stop();
    folder.remove();
  });

  test("a backup made under load restores to a service where every row and every digest is good", async () => {
    const kept = new Map<string, string>();
    const deleted = new Set<string>();
    for (let i = 0; i < 150; i++) {
      const { id, sha256 } = await uploadInline(base, held.token);
      kept.set(id, sha256);
    }
    const early = [...kept.keys()];
    // Writers on all sides until the backup has ended: new files, files that go, posts that change.
    const over = new AbortController();
    const forgettable = early.slice(75).toReversed();
    const writers = [0, 1, 2, 3].map(async (number) => {
      for (let i = 0; !over.signal.aborted; i++) {
        const { id, sha256 } = await uploadInline(base, held.token);
        kept.set(id, sha256);
        const gone = number < 3 ? forgettable.pop() : id;
        if (gone === undefined) continue;
        deleted.add(gone);
        await callToolOk(base, held.token, "delete_asset", { assetId: gone });
        await callToolOk(base, held.token, "update_post", { postId: held.postId, title: `Title ${number}.${i}` });
      }
    });
    const done = await backup();
    over.abort();
    await Promise.all(writers);
    assert.equal(done.code, 0, done.output);
    assert.ok(deleted.size > 10, `${deleted.size} were deleted meanwhile`);
    await stop();

    const restored = join(folder.path, "restored");
    const back = await runCommand(["restore", made], env(restored));
    assert.equal(back.code, 0, back.output);
    await start(restored);
    assert.deepEqual(await probeAccess(base, held), [200, 200, 200], "token, session and link of before");
    const records = readAssets(restored);
    for (const { id, version } of records) {
      assert.equal(version, kept.get(id));
      assert.equal(await fetchAssetDigest(base, held.token, id), kept.get(id), id);
    }
    const ids = new Set(records.map(({ id }) => id));
    assert.deepEqual(
      early.filter((id) => !deleted.has(id) && !ids.has(id)),
      [],
      "what was there before, and never deleted, is there",
    );
    await uploadInline(base, held.token);
    await stop();
    assertSound(restored);
    await start();
  });

  test("without writers, every row of every table is kept, and the backup can be checked by hand", async () => {
    await callToolOk(base, held.token, "attach_asset", {
      postId: held.postId,
      assetId: (await uploadInline(base, held.token, 2_000_000)).id,
    });
    await stop();
    const before = dump(dataDir);
    const done = await backup();
    assert.equal(done.code, 0, done.output);
    assert.match(done.output, /contains the generated secret/);
    assert.equal(statSync(join(made, "secret")).mode & 0o777, 0o600);
    assert.equal(statSync(made).mode & 0o777, 0o700);
    assert.deepEqual(dump(made), before);
    const restored = join(folder.path, "still");
    assert.equal((await runCommand(["restore", made], env(restored))).code, 0);
    assert.deepEqual(dump(restored), before);
    assert.equal(readFileSync(join(restored, "secret"), "utf8"), readFileSync(join(dataDir, "secret"), "utf8"));
    assert.equal(statSync(join(restored, "secret")).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(backups).filter((name) => name.endsWith(".partial")),
      [],
    );
    await start();
  });

  test("a file that is deleted between database and files takes its record along; one that is lost is named", async () => {
    const [gone, lost] = [await uploadInline(base, held.token), await uploadInline(base, held.token)];
    await callToolOk(base, held.token, "attach_asset", { postId: held.postId, assetId: gone.id });
    await stop();
    const keys = new Map(readAssets(dataDir).map(({ id, storage_key: key }) => [id, key]));
    const [goneFile, lostFile] = await Promise.all(
      [gone, lost].map(
        async ({ id }) => (await findVersions(join(dataDir, "files"), keys.get(id) ?? ""))[0]?.path ?? "",
      ),
    );
    let first = true;
    const { path, manifest } = await createBackup({
      dataDir,
      targetFolder: backups,
      version: "0",
      clock: () => Date.now() + 5000,
      reportProgress: (text) => {
        if (!text.startsWith("copied") || !first) return;
        first = false;
        const live = new DatabaseSync(join(dataDir, "atelier.db"));
        live.exec(
          `DELETE FROM assets WHERE id = '${gone.id}'; UPDATE posts SET asset_count = asset_count - 1 WHERE id = '${held.postId}'`,
        );
        live.close();
        rmSync(goneFile ?? "");
        rmSync(lostFile ?? "");
      },
    });
    assert.deepEqual(manifest.lost, [keys.get(lost.id)]);
    const ids = readAssets(path).map(({ id }) => id);
    assert.deepEqual([ids.includes(gone.id), ids.includes(lost.id)], [false, true]);
    assertSound(path);

    const said = await backup();
    assert.equal(said.code, 1, "a service that has lost files is not in order");
    assert.match(said.output, /The backup is complete, but 1 files were already missing or damaged/);
    await start();
  });

  test("a damaged, cut or unfinished backup is refused, and nothing is written", async () => {
    await backup();
    const target = join(folder.path, "never");
    const restoreTo = (to: string, from = made) => restoreBackup({ from, dataDir: to, reportProgress: () => {} });
    const file = readFileSync(join(made, "SHA256SUMS"), "utf8")
      .split("\n")
      .find((line) => line.includes("files/files"));
    const path = join(made, file?.slice(66) ?? "");
    const damages: [what: string, damage: () => void, mend: () => void][] = [
      ...[path, join(made, "atelier.db"), join(made, "secret"), join(made, "SHA256SUMS")].map(
        (one): [string, () => void, () => void] => {
          const whole = readFileSync(one);
          const flipped = Buffer.from(whole);
          flipped[whole.length >> 1]! ^= 1;
          return [one, () => writeFileSync(one, flipped), () => writeFileSync(one, whole)];
        },
      ),
      ["longer", () => appendFileSync(path, "x"), () => writeFileSync(path, readFileSync(path).subarray(0, -1))],
      ["no list", ...away(join(made, "SHA256SUMS"))],
      ["no manifest", ...away(join(made, "manifest.json"))],
      ["no file", ...away(path)],
    ];
    for (const [what, damage, mend] of damages) {
      damage();
      await assert.rejects(restoreTo(target), /is damaged|is not a backup/, what);
      assert.equal(existsSync(target), false, what);
      mend();
    }
    await assert.rejects(restoreTo(target, `${made}.partial`), /incomplete backup/);
    await restoreTo(target); // mended, it is good
  });

  test("only an empty folder is restored to, only outside the data folder is backed up to, and only what is here", async () => {
    const full = await runCommand(["restore", made], env());
    assert.equal(full.code, 1);
    assert.match(full.output, /is not empty/);
    assert.equal((await callTool(base, held.token, "whoami")).status, 200);

    assert.match((await runCommand(["backup", join(dataDir, "x")], env())).output, /is inside the data folder/);
    const nothing = join(folder.path, "nothing");
    mkdirSync(nothing);
    assert.match((await runCommand(["backup", backups], env(nothing))).output, /There is no database/);
    const elsewhere = await runCommand(["backup", backups], { ...env(), DATABASE_URL: "postgres://localhost/x" });
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.output, /pg_dump/);
    for (const args of [["backup"], ["backup", "a", "b"], ["backup", "--fast"]])
      assert.equal((await runCommand(args, env())).code, 2);
    assert.equal((await runCommand(["restore", "--help"], {})).code, 0);
  });
});

interface AssetRow {
  id: string;
  version: string;
  storage_key: string;
}

function readAssets(folderOfData: string): AssetRow[] {
  const db = new DatabaseSync(join(folderOfData, "atelier.db"));
  const rows = db.prepare("SELECT id, version, storage_key FROM assets WHERE status = 'ready'").all();
  db.close();
  return rows as unknown as AssetRow[];
}

/** Every row of every table. */
function dump(folderOfData: string): Record<string, string[]> {
  const db = openSqliteFile(folderOfData, { exclusive: false });
  const all = db
    .listTables()
    .map((table): [string, string[]] => [
      table.name,
      [...db.readRows(table)].map((row) => JSON.stringify(row)).toSorted(),
    ]);
  db.close();
  return Object.fromEntries(all);
}

/** What the database promises of itself holds, and its counts are true. */
function assertSound(folderOfData: string): void {
  const db = new DatabaseSync(join(folderOfData, "atelier.db"));
  const all = (sql: string) => db.prepare(sql).all();
  assert.deepEqual(Object.values(all("PRAGMA integrity_check")[0] ?? {}), ["ok"]);
  assert.deepEqual(all("PRAGMA foreign_key_check"), []);
  assert.deepEqual(
    all(`SELECT p.id FROM posts p WHERE asset_count <> (SELECT COUNT(*) FROM assets a WHERE a.post_id = p.id)`),
    [],
  );
  assert.deepEqual(
    all(`SELECT s.id FROM studios s
          WHERE used_bytes <> (SELECT COALESCE(SUM(charged_bytes), 0) FROM assets a WHERE a.studio_id = s.id)`),
    [],
  );
  db.close();
}

function away(path: string): [damage: () => void, mend: () => void] {
  let content: Buffer;
  return [
    () => {
      content = readFileSync(path);
      rmSync(path);
    },
    () => writeFileSync(path, content),
  ];
}
