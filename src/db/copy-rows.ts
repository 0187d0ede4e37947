import { createHash } from "node:crypto";
import pg from "pg";
import { OperatorError } from "#lib/errors.ts";
import { migratePostgres } from "./migrate.ts";
import { migrationsFolder } from "./open-database.ts";
import { quoteIdentifier, type Row, type SqliteFile, type TableSchema } from "./sqlite-file.ts";

export interface MovedTable {
  table: string;
  rows: number;
  /** Of all rows, whatever their order; the same on both sides. */
  checksum: string;
}

/** Throws unless PostgreSQL holds nothing of a service. Before anything is changed there. */
export async function assertTargetEmpty(source: SqliteFile, url: string): Promise<void> {
  await withClient(url, (client) => assertTablesEmpty(client, source.listTables()));
}

/**
 * Copies every row in one transaction and reads all of them back before it ends: PostgreSQL holds either everything, as
 * it was, or nothing. `change` may give a row other values on the way.
 */
export async function moveRows(
  source: SqliteFile,
  url: string,
  transform: (table: string, row: Row) => Row,
  reportProgress: (table: string, rows: number) => void,
): Promise<MovedTable[]> {
  await migratePostgres(url, migrationsFolder);
  return withClient(url, async (client) => {
    await client.query("BEGIN");
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'");
    await assertSameVersion(client, source);
    const tables = source.listTables();
    // A service that was started too early on the target waits here, and finds everything.
    await client.query(
      `LOCK TABLE ${tables.map(({ name }) => quoteIdentifier(name)).join(", ")} IN ACCESS EXCLUSIVE MODE`,
    );
    await assertTablesEmpty(client, tables);
    const movedTables: MovedTable[] = [];
    for (const table of tables) {
      const sentChecksum = createChecksum(table);
      for (const batch of batches(source.readRows(table), table, (row) => transform(table.name, row))) {
        batch.forEach(sentChecksum.add);
        await insert(client, table, batch);
        reportProgress(table.name, sentChecksum.countRows());
      }
      const storedChecksum = await readBack(client, table);
      if (storedChecksum.countRows() !== sentChecksum.countRows() || storedChecksum.digest() !== sentChecksum.digest())
        throw new OperatorError(`PostgreSQL did not keep the table ${table.name} as it was sent. Nothing was changed.`);
      movedTables.push({ table: table.name, rows: storedChecksum.countRows(), checksum: storedChecksum.digest() });
    }
    await client.query("COMMIT");
    return movedTables;
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    application_name: "atelier-move",
    types: {
      getTypeParser: (oid, format) =>
        (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
    },
  });
  client.on("error", () => {}); // the statement under way reports it
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end(); // what was not committed never was
  }
}

async function assertTablesEmpty(client: pg.Client, tables: readonly TableSchema[]): Promise<void> {
  for (const { name } of tables) {
    const existingTable = await client.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [quoteIdentifier(name)]);
    if (existingTable.rows.length === 0) continue;
    if ((await client.query(`SELECT 1 FROM ${quoteIdentifier(name)} LIMIT 1`)).rows.length > 0)
      throw new OperatorError(
        `The database of DATABASE_URL is not empty: there are rows in ${name}. Name an empty one. Nothing was changed.`,
      );
  }
}

async function assertSameVersion(client: pg.Client, source: SqliteFile): Promise<void> {
  const { rows } = await client.query<{ name: string }>("SELECT name FROM schema_migrations ORDER BY name");
  if (
    rows
      .map(({ name }) => name)
      .toSorted()
      .join() === source.listMigrations().toSorted().join()
  )
    return;
  throw new OperatorError(
    "The embedded database was last used by another version. Start this version on it once, stop it, and try again.",
  );
}

/** As many rows at once as PostgreSQL takes values for, and never so many that they fill the memory. */
function* batches(rows: Iterable<Row>, { columns }: TableSchema, transform: (row: Row) => Row): Generator<Row[]> {
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

async function insert(client: pg.Client, { name, columns }: TableSchema, rows: readonly Row[]): Promise<void> {
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  const placeholders = rows.map((_, i) => `(${columns.map((__, j) => `$${i * columns.length + j + 1}`).join(", ")})`);
  await client.query(
    `INSERT INTO ${quoteIdentifier(name)} (${columns.map(quoteIdentifier).join(", ")}) VALUES ${placeholders.join(", ")}`,
    values,
  );
}

async function readBack(client: pg.Client, table: TableSchema): Promise<Checksum> {
  const checksum = createChecksum(table);
  const columns = table.columns.map(quoteIdentifier).join(", ");
  await client.query(`DECLARE moved CURSOR FOR SELECT ${columns} FROM ${quoteIdentifier(table.name)}`);
  for (;;) {
    const { rows } = await client.query<Row>("FETCH 1000 FROM moved");
    if (rows.length === 0) break;
    rows.forEach(checksum.add);
  }
  await client.query("CLOSE moved");
  return checksum;
}

interface Checksum {
  add(row: Row): void;
  countRows(): number;
  digest(): string;
}

/** The sum of the rows' digests: the engines sort text differently, so the order must not count. */
function createChecksum({ columns }: TableSchema): Checksum {
  let sum = 0n;
  let rows = 0;
  return {
    add(row) {
      const digest = createHash("sha256")
        .update(JSON.stringify(columns.map((column) => row[column])))
        .digest("hex");
      sum = (sum + BigInt(`0x${digest}`)) % 2n ** 256n;
      rows++;
    },
    countRows: () => rows,
    digest: () => sum.toString(16).padStart(64, "0"),
  };
}
