import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { OperatorError } from "#lib/errors.ts";
import { migratePostgres, readMigrations } from "./migrate.ts";
import { migrationsFolder } from "./open-database.ts";
import { numberTypes } from "./postgres.ts";
import { quoteIdentifier, type Row, type SqliteFile, type TableSchema } from "./sqlite-file.ts";

export interface CopiedTable {
  table: string;
  rows: number;
  /** Checksum of all rows as stored in PostgreSQL, independent of their order. */
  checksum: string;
}

/** Throws if any of Atelier's tables in PostgreSQL has rows. Changes nothing. */
export async function assertTargetEmpty(source: SqliteFile, url: string): Promise<void> {
  await withClient(url, (client) => assertTablesEmpty(client, source.listTables()));
}

/**
 * Copies every row in one transaction and verifies all of them before the commit, so PostgreSQL ends up with either
 * all rows or none. `transform` can change each row before it is written. The service indexes the rows for search
 * when it starts.
 */
export async function copyRows(
  source: SqliteFile,
  url: string,
  transform: (table: string, row: Row) => Row,
  reportProgress: (table: string, rows: number) => void,
): Promise<CopiedTable[]> {
  await assertSameVersion(source);
  await migratePostgres(url, migrationsFolder);
  return withClient(url, async (client) => {
    await client.query("BEGIN");
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'");
    const tables = source.listTables();
    // A service that starts on the target too early waits for this lock, and then sees all rows.
    await client.query(
      `LOCK TABLE ${tables.map(({ name }) => quoteIdentifier(name)).join(", ")} IN ACCESS EXCLUSIVE MODE`,
    );
    await assertTablesEmpty(client, tables);
    // Existing activity is neither pending nor announced.
    await client.query("ALTER TABLE activity DISABLE TRIGGER USER");
    const copiedTables: CopiedTable[] = [];
    for (const table of tables) {
      const sentChecksum = createChecksum(table);
      for (const batch of toBatches(source.readRows(table), table, (row) => toUnindexed(transform(table.name, row)))) {
        batch.forEach(sentChecksum.add);
        await insertRows(client, table, batch);
        reportProgress(table.name, sentChecksum.read().rows);
      }
      const storedChecksum = await computeStoredChecksum(client, table);
      if (!isDeepStrictEqual(storedChecksum, sentChecksum.read()))
        throw new OperatorError(
          `The rows of ${table.name} in PostgreSQL differ from the original. Nothing was changed.`,
        );
      copiedTables.push({ table: table.name, ...storedChecksum });
    }
    await client.query("ALTER TABLE activity ENABLE TRIGGER USER");
    await client.query("COMMIT");
    return copiedTables;
  });
}

const toUnindexed = (row: Row): Row => ("search_indexed" in row ? { ...row, search_indexed: 0 } : row);

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    application_name: "atelier-move",
    types: numberTypes,
  });
  client.on("error", () => {}); // the running statement rejects
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // rolls back an open transaction
  }
}

async function assertTablesEmpty(client: pg.Client, tables: readonly TableSchema[]): Promise<void> {
  for (const { name } of tables) {
    const existingTable = await client.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [quoteIdentifier(name)]);
    if (existingTable.rows.length === 0) continue;
    if ((await client.query(`SELECT 1 FROM ${quoteIdentifier(name)} LIMIT 1`)).rows.length > 0)
      throw new OperatorError(
        `The database at DATABASE_URL is not empty: the table ${name} has rows. Use an empty database. Nothing was changed.`,
      );
  }
}

async function assertSameVersion(source: SqliteFile): Promise<void> {
  const migrations = await readMigrations(migrationsFolder, "sqlite");
  if (migrations.map(({ name }) => name).join() === source.listMigrations().toSorted().join()) return;
  throw new OperatorError(
    "The SQLite database in DATA_DIR was last used by a different version. Start this version of the server with that database once, stop the server, and try again.",
  );
}

/** Each batch fits in PostgreSQL's 65,535 parameters per statement, and has at most 500 rows to bound memory. */
function* toBatches(rows: Iterable<Row>, { columns }: TableSchema, transform: (row: Row) => Row): Generator<Row[]> {
  const maxRows = Math.min(500, Math.floor(60_000 / columns.length));
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(transform(row));
    if (batch.length < maxRows) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function insertRows(client: pg.Client, { name, columns }: TableSchema, rows: readonly Row[]): Promise<void> {
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  const placeholders = rows.map((_, i) => `(${columns.map((__, j) => `$${i * columns.length + j + 1}`).join(", ")})`);
  await client.query(
    `INSERT INTO ${quoteIdentifier(name)} (${columns.map(quoteIdentifier).join(", ")}) VALUES ${placeholders.join(", ")}`,
    values,
  );
}

async function computeStoredChecksum(client: pg.Client, table: TableSchema): Promise<Omit<CopiedTable, "table">> {
  const checksum = createChecksum(table);
  const columns = table.columns.map(quoteIdentifier).join(", ");
  await client.query(`DECLARE moved CURSOR FOR SELECT ${columns} FROM ${quoteIdentifier(table.name)}`);
  for (;;) {
    const { rows } = await client.query<Row>("FETCH 1000 FROM moved");
    if (rows.length === 0) break;
    rows.forEach(checksum.add);
  }
  await client.query("CLOSE moved");
  return checksum.read();
}

/** Sums the digests of the rows, because the engines sort text differently and the order must not matter. */
function createChecksum({ columns }: TableSchema) {
  let sum = 0n;
  let rows = 0;
  return {
    add(row: Row) {
      const digest = createHash("sha256")
        .update(JSON.stringify(columns.map((column) => row[column])))
        .digest("hex");
      sum = (sum + BigInt(`0x${digest}`)) % 2n ** 256n;
      rows++;
    },
    read: () => ({ rows, checksum: sum.toString(16).padStart(64, "0") }),
  };
}
