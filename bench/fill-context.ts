import { days } from "#lib/clock.ts";
import type { EngineName } from "../test/support/engines.ts";

/** A connection without the service's timeouts, foreign key checks and triggers. */
export interface Filler {
  engine: EngineName;
  write(sql: string, params?: readonly string[][]): Promise<void>;
  read<Row>(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

export interface FillCounts {
  posts: number;
  studios: number;
  revisions: number;
  activity: number;
  assets: number;
  publications: number;
}

/** How many rows of each kind belong to this many posts, a multiple of 100. */
export const computeFillCounts = (posts: number): FillCounts => ({
  posts,
  studios: Math.max(1, posts / 100),
  revisions: 10 * posts,
  activity: 10 * posts,
  assets: posts,
  publications: posts / 10,
});

/** The number from which `formatId` makes the studio's id. */
export const largeStudio = 0;
/** The number of the studio with the second post that has the word `rarest`. */
export const getSmallStudio = ({ studios }: FillCounts): number =>
  studios === 1 ? largeStudio : 1 + (smallRarePost % (studios - 1));

/** The numbers of the posts with the word `rarest`, in the large studio and in a small one. */
export const [largeRarePost, smallRarePost] = [30, 33];
export const formatId = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, "0")}`;

export const textCount = 5000;
export const batchSize = 100_000;

type Columns = Record<string, string>;

/** What the functions of bench/fill-tables.ts need. All functions except `insert` return SQL expressions. */
export interface FillContext {
  counts: FillCounts;
  now: number;
  /** Digits with leading zeros. */
  pad(n: string, length?: number): string;
  id(prefix: string, n: string): string;
  studioOf(post: string): string;
  /** Spreads `count` rows evenly over the last three years. */
  createdAt(n: string, count: number): string;
  /**
   * Inserts `count` rows, if the table exists, without the columns that do not exist. `s.n` is the number of the row, and
   * `t` is the text with the number `textNumber`.
   */
  insert(table: string, count: number, columns: Columns, textNumber?: string, condition?: string): Promise<void>;
}

export function createFillContext(filler: Filler, counts: FillCounts, now: number): FillContext {
  const { engine } = filler;
  const pad = (n: string, length = 26): string =>
    engine === "sqlite" ? `printf('%0${length}d', ${n})` : `lpad((${n})::text, ${length}, '0')`;
  const id = (prefix: string, n: string): string => `'${prefix}_' || ${pad(n)}`;
  const series = (from: number, to: number): string =>
    engine === "sqlite"
      ? `(WITH RECURSIVE s(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM s WHERE n + 1 < ${to}) SELECT n FROM s)`
      : `(SELECT n::bigint FROM generate_series(${from}, ${to - 1}) AS n)`;
  const studioOf = (post: string): string =>
    counts.studios === 1
      ? "0"
      : `(CASE WHEN ${post} % 10 = 0 THEN ${largeStudio} ELSE 1 + ${post} % ${counts.studios - 1} END)`;

  async function listColumns(table: string): Promise<Set<string>> {
    const columnsSql =
      engine === "sqlite"
        ? `SELECT name FROM pragma_table_info('${table}')`
        : `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}'`;
    return new Set((await filler.read<{ name: string }>(columnsSql)).map(({ name }) => name));
  }

  async function insert(
    table: string,
    count: number,
    columns: Columns,
    textNumber = "0",
    condition = "1 = 1",
  ): Promise<void> {
    const existingColumns = await listColumns(table);
    if (existingColumns.size === 0) return;
    const entries = Object.entries(columns).filter(([name]) => existingColumns.has(name));
    for (let from = 0; from < count; from += batchSize)
      await filler.write(
        `INSERT INTO ${table} (${entries.map(([name]) => name).join(", ")})
         SELECT ${entries.map(([, value]) => value).join(", ")}
           FROM ${series(from, Math.min(count, from + batchSize))} AS s JOIN texts t ON t.n = (${textNumber}) % ${textCount}
          WHERE ${condition}`,
      );
  }

  const createdAt = (n: string, count: number): string => `${now - days(1095)} + ${n} * ${days(1095)} / ${count}`;
  return { counts, now, pad, id, studioOf, createdAt, insert };
}
