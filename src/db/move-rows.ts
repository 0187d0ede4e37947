import { createHash } from "node:crypto";
import pg from "pg";
import { OperatorError } from "#lib/operator-error.ts";
import { migratePostgres } from "./migrate.ts";
import { migrationsFolder } from "./open.ts";
import { quoted, type Row, type SqliteFile, type TableShape } from "./sqlite-file.ts";

export interface MovedTable {
  table: string;
  rows: number;
  /** Of all rows, whatever their order; the same on both sides. */
  checksum: string;
}

/** Throws unless PostgreSQL holds nothing of a service. Before anything is changed there. */
export async function refuseFilledTarget(source: SqliteFile, url: string): Promise<void> {
  await withClient(url, (client) => refuseRows(client, source.tables()));
}

/**
 * Copies every row in one transaction and reads all of them back before it ends: PostgreSQL holds either everything, as
 * it was, or nothing. `change` may give a row other values on the way.
 */
export async function moveRows(
  source: SqliteFile,
  url: string,
  change: (table: string, row: Row) => Row,
  tell: (table: string, rows: number) => void,
): Promise<MovedTable[]> {
  await migratePostgres(url, migrationsFolder);
  return withClient(url, async (client) => {
    await client.query("BEGIN");
    await client.query("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '10s'");
    await refuseOtherVersion(client, source);
    const tables = source.tables();
    // A service that was started too early on the target waits here, and finds everything.
    await client.query(`LOCK TABLE ${tables.map(({ name }) => quoted(name)).join(", ")} IN ACCESS EXCLUSIVE MODE`);
    await refuseRows(client, tables);
    const moved: MovedTable[] = [];
    for (const table of tables) {
      const sent = createChecksum(table);
      for (const batch of batches(source.rows(table), table, (row) => change(table.name, row))) {
        batch.forEach(sent.add);
        await insert(client, table, batch);
        tell(table.name, sent.rows());
      }
      const kept = await readBack(client, table);
      if (kept.rows() !== sent.rows() || kept.digest() !== sent.digest())
        throw new OperatorError(`PostgreSQL did not keep the table ${table.name} as it was sent. Nothing was changed.`);
      moved.push({ table: table.name, rows: kept.rows(), checksum: kept.digest() });
    }
    await client.query("COMMIT");
    return moved;
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

async function refuseRows(client: pg.Client, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) {
    const known = await client.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", [quoted(name)]);
    if (known.rows.length === 0) continue;
    if ((await client.query(`SELECT 1 FROM ${quoted(name)} LIMIT 1`)).rows.length > 0)
      throw new OperatorError(
        `The database of DATABASE_URL is not empty: there are rows in ${name}. Name an empty one. Nothing was changed.`,
      );
  }
}

async function refuseOtherVersion(client: pg.Client, source: SqliteFile): Promise<void> {
  const { rows } = await client.query<{ name: string }>("SELECT name FROM schema_migrations ORDER BY name");
  if (
    rows
      .map(({ name }) => name)
      .toSorted()
      .join() === source.history().toSorted().join()
  )
    return;
  throw new OperatorError(
    "The embedded database was last used by another version. Start this version on it once, stop it, and try again.",
  );
}

/** As many rows at once as PostgreSQL takes values for, and never so many that they fill the memory. */
function* batches(rows: Iterable<Row>, { columns }: TableShape, change: (row: Row) => Row): Generator<Row[]> {
  const most = Math.min(500, Math.floor(60_000 / columns.length));
  let batch: Row[] = [];
  for (const row of rows) {
    batch.push(change(row));
    if (batch.length < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function insert(client: pg.Client, { name, columns }: TableShape, rows: readonly Row[]): Promise<void> {
  const values = rows.flatMap((row) => columns.map((column) => row[column]));
  const places = rows.map((_, i) => `(${columns.map((__, j) => `$${i * columns.length + j + 1}`).join(", ")})`);
  await client.query(
    `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES ${places.join(", ")}`,
    values,
  );
}

async function readBack(client: pg.Client, table: TableShape): Promise<Checksum> {
  const checksum = createChecksum(table);
  const columns = table.columns.map(quoted).join(", ");
  await client.query(`DECLARE moved CURSOR FOR SELECT ${columns} FROM ${quoted(table.name)}`);
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
  rows(): number;
  digest(): string;
}

/** The sum of the rows' digests: the engines sort text differently, so the order must not count. */
function createChecksum({ columns }: TableShape): Checksum {
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
    rows: () => rows,
    digest: () => sum.toString(16).padStart(64, "0"),
  };
}
