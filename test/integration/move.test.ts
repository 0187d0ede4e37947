import assert from "node:assert/strict";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { openSqliteFile } from "#db/sqlite-file.ts";
import { createS3Client } from "#storage/s3/s3-target.ts";
import {
  createEmptyDatabase,
  getDatabaseSettings,
  skipWithoutPostgres,
  type TemporaryDatabase,
} from "../support/engines.ts";
import { startFaultyProxy } from "../support/faulty-proxy.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import {
  createCredentials,
  fetchAssetDigest,
  callToolOk,
  uploadInline,
  probeAccess,
  type Credentials,
} from "../support/service-access.ts";
import { runCommand, startCommand } from "../support/operator-commands.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { openTestS3, getTestS3Environment, getTestS3Settings, sha256, skipWithoutS3 } from "../support/stores.ts";
import { assertRestorable, createTrashedPost, type TrashedPost } from "../support/trash-sample.ts";

const skip = skipWithoutPostgres || skipWithoutS3;

describe("moving from SQLite and disk to PostgreSQL and S3", { skip }, () => {
  const folder = createTempFolder();
  const dataDir = join(folder.path, "data");
  const s3 = getTestS3Settings();
  const bucket = `move-${randomBytes(6).toString("hex")}`;
  const client = createS3Client(s3);
  let base: string;
  let service: MainProcess | undefined;
  let targetDatabase: TemporaryDatabase;
  let credentials: Credentials;
  let trashedPost: TrashedPost;
  const digestsById = new Map<string, string>();

  const getSourceEnv = () => ({ DATA_DIR: dataDir, BASE_URL: base, PORT: new URL(base).port, RATE_LIMITS: "off" });
  const getTargetEnv = (overrides: Record<string, string> = {}) => ({
    ...getSourceEnv(),
    ...getDatabaseSettings(targetDatabase),
    ...getTestS3Environment(),
    S3_BUCKET: bucket,
    SECRETS: `${"n".repeat(40)},${readFileSync(join(dataDir, "secret"), "utf8").trim()}`,
    ...overrides,
  });
  const createBucket = (name: string) => client.send(new CreateBucketCommand({ Bucket: name }));
  const assertMoveRejected = async (env: Record<string, string>, message: RegExp) => {
    const { code, output } = await runCommand(["move"], env);
    assert.equal(code, 1, output);
    assert.match(output, message);
  };

  before(async () => {
    base = await findFreeBaseUrl();
    targetDatabase = await createEmptyDatabase("postgres");
    await createBucket(bucket);
    service = await startMain(getSourceEnv());
    credentials = await createCredentials({ databaseUrl: undefined, dataDir }, base);
    for (let i = 0; i < 15; i++) {
      const { id, sha256 } = await uploadInline(base, credentials.token, i === 0 ? 3_000_000 : 20_000);
      digestsById.set(id, sha256);
      if (i < 5) await callToolOk(base, credentials.token, "attach_asset", { postId: credentials.postId, assetId: id });
    }
    const [originalId = "", digest = ""] = [...digestsById][1] ?? [];
    const copy = await callToolOk<{ assetId: string }>(base, credentials.token, "copy_asset", { assetId: originalId });
    digestsById.set(copy.assetId, digest);
    trashedPost = await createTrashedPost(base, credentials);
    digestsById.set(trashedPost.assetId, trashedPost.sha256);
    // An upload that has not arrived yet: its row has no file to copy.
    await callToolOk(base, credentials.token, "request_asset_upload", { kind: "image", mimeType: "image/png" });
  });
  after(async () => {
    await service?.kill();
    client.destroy();
    await targetDatabase?.remove();
    folder.remove();
  });

  test("rejects the move while a service uses the data, and without a configured target", async () => {
    await assertMoveRejected(getTargetEnv(), /is in use\. Stop the service/);
    await assertMoveRejected(getSourceEnv(), /Set DATABASE_URL, STORAGE=s3/);
    assert.deepEqual(await probeAccess(base, credentials), [200, 200, 200], "the service keeps running");
    await service?.kill();
    service = undefined;
  });

  test("rejects a target that is not empty, or whose SECRETS cannot decrypt the data", async () => {
    await assertMoveRejected(getTargetEnv({ SECRETS: "n".repeat(40) }), /SECRETS does not include the secret/);

    const usedBucket = `${bucket}-full`;
    await createBucket(usedBucket);
    await client.send(new PutObjectCommand({ Bucket: usedBucket, Key: "files/ast_x.0", Body: "x" }));
    await assertMoveRejected(getTargetEnv({ S3_BUCKET: usedBucket }), /bucket of S3_BUCKET is not empty/);

    const usedDatabase = await createEmptyDatabase("postgres");
    const otherService = await startMain(
      getTargetEnv({ ...getDatabaseSettings(usedDatabase), DATA_DIR: join(folder.path, "x") }),
    );
    await createCredentials({ ...usedDatabase, dataDir: folder.path }, base);
    await otherService.kill();
    await assertMoveRejected(getTargetEnv(getDatabaseSettings(usedDatabase)), /DATABASE_URL is not empty/);
    await usedDatabase.remove();
    assert.deepEqual(await listPostgresTables(targetDatabase), [], "the intended target is untouched");
  });

  test("a move that was killed and restarted copies every row and file, shared files once, and leaves the source unchanged (LIB-2)", async () => {
    const rowsBefore = readSqliteRows(dataDir);
    const modifiedAt = statSync(join(dataDir, "atelier.db")).mtimeMs;
    const store = await openTestS3({ settings: { bucket } });
    const proxy = await startFaultyProxy(s3.endpoint ?? "");
    const writeHung = Promise.withResolvers<void>();
    let writeCount = 0;
    proxy.chooseFault = ({ method }) => {
      if (method !== "PUT" || ++writeCount <= 5) return undefined;
      writeHung.resolve();
      return "hang";
    };
    const interruptedMove = startCommand(["move"], getTargetEnv({ S3_ENDPOINT: proxy.endpoint }));
    const exitedEarly = interruptedMove.exited.then(() => assert.fail(interruptedMove.getOutput()));
    await Promise.race([writeHung.promise, exitedEarly]);
    await interruptedMove.stop();
    await proxy.close();
    const copiedFiles = (await store.list("files/", { limit: 1000 })).length;
    assert.ok(copiedFiles > 0 && copiedFiles <= 5, `${copiedFiles} files`);
    assert.equal(await countPostgresRows(targetDatabase), 0);
    store.close();

    const { code, output, stdout } = await runCommand(["move"], getTargetEnv());
    assert.equal(code, 0, output);
    assert.match(stdout, /^assets {2}18 rows {2}[0-9a-f]{64}$/m);
    assert.match(stdout, /^16 files, 3\.\d MB, each read back/m);
    assert.deepEqual(readSqliteRows(dataDir), rowsBefore);
    assert.equal(statSync(join(dataDir, "atelier.db")).mtimeMs, modifiedAt);

    // The service creates the search index when it runs on PostgreSQL.
    const {
      post_search: postEntries,
      asset_search: assetEntries,
      ...movedRows
    } = await readPostgresRows(targetDatabase);
    assert.deepEqual([postEntries, assetEntries], [[], []]);
    assert.deepEqual(Object.keys(movedRows).toSorted(), Object.keys(rowsBefore).toSorted());
    for (const [table, rows] of Object.entries(rowsBefore)) {
      // Each store has its own file versions, and rows are not indexed yet; all other columns are equal.
      const replaced = table === "assets" ? { version: 0, search_indexed: 0 } : { search_indexed: 0 };
      const serialize = (tableRows: Row[]) =>
        tableRows.map((row) => JSON.stringify("search_indexed" in row ? { ...row, ...replaced } : row));
      assert.deepEqual(serialize(movedRows[table] ?? []).toSorted(), serialize(rows).toSorted(), table);
    }
    for (const row of rowsBefore["assets"] ?? []) {
      if (row["status"] !== "ready") continue;
      const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: String(row["storage_key"]) }));
      const bytes = (await object.Body?.transformToByteArray()) ?? new Uint8Array();
      assert.equal(sha256(bytes), digestsById.get(String(row["id"])));
    }
    await assertMoveRejected(getTargetEnv(), /DATABASE_URL is not empty/);
  });

  test("the service runs on the target with the same files, trash, history, comments, tokens, sessions and upload links (TRASH-6, COM-5)", async () => {
    service = await startMain(getTargetEnv({ DATA_DIR: join(folder.path, "empty") }));
    assert.deepEqual(await probeAccess(base, credentials), [200, 200, 200]);
    await assertRestorable(base, credentials, trashedPost);
    for (const [id, sha256] of digestsById) assert.equal(await fetchAssetDigest(base, credentials.token, id), sha256);
    const post = await callToolOk<{ assets: { id: string }[] }>(base, credentials.token, "get_post", {
      postId: credentials.postId,
    });
    assert.equal(post.assets.length, 5);
    const { id, sha256 } = await uploadInline(base, credentials.token);
    assert.equal(await fetchAssetDigest(base, credentials.token, id), sha256);
    const [assetId = ""] = [...digestsById.keys()].slice(10);
    await callToolOk(base, credentials.token, "delete_asset", { assetId });
  });
});

type Row = Record<string, unknown>;

function readSqliteRows(dataDir: string): Record<string, Row[]> {
  const db = openSqliteFile(dataDir, { isExclusive: false });
  const tables = db
    .listTables()
    .map((table): [string, Row[]] => [table.name, [...db.readRows(table)].map((row) => ({ ...row }))]);
  db.close();
  return Object.fromEntries(tables);
}

async function withPostgres<T>(database: TemporaryDatabase, query: (client: pg.Client) => Promise<T>): Promise<T> {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  return query(client).finally(() => void client.end());
}

function listPostgresTables(database: TemporaryDatabase): Promise<string[]> {
  return withPostgres(database, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    return rows.map(({ name }) => name).filter((name) => name !== "schema_migrations");
  });
}

async function readPostgresRows(database: TemporaryDatabase): Promise<Record<string, Row[]>> {
  const tables = await listPostgresTables(database);
  return withPostgres(database, async (client) => {
    const rowsByTable: Record<string, Row[]> = {};
    for (const table of tables) rowsByTable[table] = (await client.query<Row>(`SELECT * FROM "${table}"`)).rows;
    return rowsByTable;
  });
}

async function countPostgresRows(database: TemporaryDatabase): Promise<number> {
  return Object.values(await readPostgresRows(database)).flat().length;
}
