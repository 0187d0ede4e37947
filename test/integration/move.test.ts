import assert from "node:assert/strict";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openSqliteFile } from "#db/sqlite-file.ts";
import { createTemporaryDatabase, type TemporaryDatabase } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import {
  digest,
  createCredentials,
  runCommand,
  fetchAssetDigest,
  startCommand,
  callToolOk,
  uploadInline,
  probeAccess,
  type Credentials,
} from "../support/operator-commands.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { openTestS3, getTestS3Settings } from "../support/stores.ts";

const able = Boolean(process.env["TEST_DATABASE_URL"] && process.env["TEST_S3_ENDPOINT"]);

/** Needs PostgreSQL and an S3 server; the runner says at the end where one is missing. */
describe("moving from SQLite and disk to PostgreSQL and S3", { skip: !able }, () => {
  const folder = createTempFolder();
  const dataDir = join(folder.path, "data");
  const s3 = getTestS3Settings();
  const bucket = `move-${randomBytes(6).toString("hex")}`;
  const client = new S3Client({
    region: s3.region,
    endpoint: s3.endpoint ?? "",
    forcePathStyle: s3.forcePathStyle,
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  let base: string;
  let service: MainProcess | undefined;
  let location: TemporaryDatabase;
  let held: Credentials;
  const uploaded = new Map<string, string>();

  const source = () => ({ DATA_DIR: dataDir, BASE_URL: base, PORT: new URL(base).port, RATE_LIMITS: "off" });
  const target = (given: Record<string, string> = {}) => ({
    ...source(),
    DATABASE_URL: location.databaseUrl ?? "",
    STORAGE: "s3",
    S3_ENDPOINT: s3.endpoint ?? "",
    S3_REGION: s3.region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    S3_FORCE_PATH_STYLE: String(s3.forcePathStyle),
    SECRETS: `${"n".repeat(40)},${readFileSync(join(dataDir, "secret"), "utf8").trim()}`,
    ...given,
  });
  const newBucket = (name: string) => client.send(new CreateBucketCommand({ Bucket: name }));
  const refused = async (env: Record<string, string>, why: RegExp) => {
    const { code, output: said } = await runCommand(["move"], env);
    assert.equal(code, 1, said);
    assert.match(said, why);
  };

  before(async () => {
    base = await findFreeBaseUrl();
    location = await createTemporaryDatabase("postgres");
    await newBucket(bucket);
    service = await startMain(source());
    held = await createCredentials({ databaseUrl: undefined, dataDir }, base);
    for (let i = 0; i < 30; i++) {
      const { id, sha256 } = await uploadInline(base, held.token, i === 0 ? 3_000_000 : 20_000);
      uploaded.set(id, sha256);
      if (i < 5) await callToolOk(base, held.token, "attach_asset", { postId: held.postId, assetId: id });
    }
    // On its way: a promise without bytes is a row like any other.
    await callToolOk(base, held.token, "request_asset_upload", { kind: "image", mimeType: "image/png" });
  });
  after(async () => {
    await service?.kill();
    client.destroy();
    await location?.remove();
    folder.remove();
  });

  test("refused while a service runs on the data, and without a place to move to", async () => {
    await refused(target(), /is in use\. Stop the service/);
    await refused(source(), /Set DATABASE_URL, STORAGE=s3/);
    assert.deepEqual(await probeAccess(base, held), [200, 200, 200], "the service did not notice");
    await service?.kill();
    service = undefined;
  });

  test("refused where the target is not empty, or would not understand what was sealed", async () => {
    await refused(target({ SECRETS: "n".repeat(40) }), /SECRETS does not include the secret/);

    const other = `${bucket}-full`;
    await newBucket(other);
    await client.send(new PutObjectCommand({ Bucket: other, Key: "files/ast_x.0", Body: "x" }));
    await refused(target({ S3_BUCKET: other }), /bucket of S3_BUCKET is not empty/);

    const full = await createTemporaryDatabase("postgres");
    const elsewhere = await startMain(
      target({ DATABASE_URL: full.databaseUrl ?? "", DATA_DIR: join(folder.path, "x") }),
    );
    await createCredentials({ ...full, dataDir: folder.path }, base);
    await elsewhere.kill();
    await refused(target({ DATABASE_URL: full.databaseUrl ?? "" }), /DATABASE_URL is not empty/);
    await full.remove();
    assert.deepEqual(await tablesOf(location), [], "nothing was begun in the right one either");
  });

  test("killed half-way and begun again, every row and every digest arrives; the source is as it was", async () => {
    const before = rowsOf(dataDir);
    const changedAt = statSync(join(dataDir, "atelier.db")).mtimeMs;
    const store = await openTestS3({ settings: { bucket } });
    const cut = startCommand(["move"], target());
    for (let arrived = 0; arrived < 5; await sleep(5)) {
      arrived = (await store.list("files/", { limit: 1000 })).length;
      assert.ok(arrived < uploaded.size, "it was killed in time");
    }
    await cut.stop();
    assert.deepEqual(await countAll(location), 0);
    store.close();

    const { code, output: said, result } = await runCommand(["move"], target());
    assert.equal(code, 0, said);
    assert.match(result, /^assets {2}31 rows {2}[0-9a-f]{64}$/m);
    assert.match(result, /^30 files, 3\.\d MB, each read back/m);
    assert.deepEqual(rowsOf(dataDir), before);
    assert.equal(statSync(join(dataDir, "atelier.db")).mtimeMs, changedAt);

    const moved = await rowsIn(location);
    assert.deepEqual(Object.keys(moved).toSorted(), Object.keys(before).toSorted());
    for (const [table, rows] of Object.entries(before)) {
      // Where the bytes lie is told in the words of the other store; all else is as it was.
      const plain = (all: Row[]) => all.map((row) => JSON.stringify(table === "assets" ? { ...row, version: 0 } : row));
      assert.deepEqual(plain(moved[table] ?? []).toSorted(), plain(rows).toSorted(), table);
    }
    for (const row of before["assets"] ?? []) {
      if (row["status"] !== "ready") continue;
      const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: String(row["storage_key"]) }));
      const bytes = (await object.Body?.transformToByteArray()) ?? new Uint8Array();
      assert.equal(digest(bytes), uploaded.get(String(row["id"])));
    }
    await refused(target(), /DATABASE_URL is not empty/);
  });

  test("the service runs on the target: the same bytes, and tokens, sessions and links of before", async () => {
    service = await startMain(target({ DATA_DIR: join(folder.path, "empty") }));
    assert.deepEqual(await probeAccess(base, held), [200, 200, 200]);
    for (const [id, sha256] of uploaded) assert.equal(await fetchAssetDigest(base, held.token, id), sha256);
    const post = await callToolOk<{ assets: { id: string }[] }>(base, held.token, "get_post", { postId: held.postId });
    assert.equal(post.assets.length, 5);
    const { id, sha256 } = await uploadInline(base, held.token);
    assert.equal(await fetchAssetDigest(base, held.token, id), sha256);
    const [gone = ""] = [...uploaded.keys()].slice(10);
    await callToolOk(base, held.token, "delete_asset", { assetId: gone });
  });
});

type Row = Record<string, unknown>;

function rowsOf(dataDir: string): Record<string, Row[]> {
  const db = openSqliteFile(dataDir, { exclusive: false });
  const all = db
    .listTables()
    .map((table): [string, Row[]] => [table.name, [...db.readRows(table)].map((row) => ({ ...row }))]);
  db.close();
  return Object.fromEntries(all);
}

async function inPostgres<T>(location: TemporaryDatabase, work: (client: pg.Client) => Promise<T>): Promise<T> {
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  const client = new pg.Client({ connectionString: location.databaseUrl });
  await client.connect();
  return work(client).finally(() => void client.end());
}

function tablesOf(location: TemporaryDatabase): Promise<string[]> {
  return inPostgres(location, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    );
    return rows.map(({ name }) => name).filter((name) => name !== "schema_migrations");
  });
}

async function rowsIn(location: TemporaryDatabase): Promise<Record<string, Row[]>> {
  const tables = await tablesOf(location);
  return inPostgres(location, async (client) => {
    const all: Record<string, Row[]> = {};
    for (const table of tables) all[table] = (await client.query<Row>(`SELECT * FROM "${table}"`)).rows;
    return all;
  });
}

async function countAll(location: TemporaryDatabase): Promise<number> {
  return Object.values(await rowsIn(location)).flat().length;
}
