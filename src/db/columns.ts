// The database writes `studio_id`, TypeScript writes `studioId`. The two are translated at the edge of the drivers: the
// names once per statement, and only those values that have another type in the database.

import type { QueryCompiler } from "kysely";

/** The columns whose properties have better names. */
const propertyNames: Record<string, string> = {
  created_client_name: "createdByClientName",
  approved_for: "approvedTime",
  doomed: "isMarkedForDeletion",
  for_library: "isLibraryUpload",
  in_place: "isInPlace",
  is_standard: "canStripMetadata",
  part_at: "lastPartAt",
  removed: "isDeleted",
  trashed: "isTrashed",
  picture_url: "avatarUrl",
};

const columnNames = new Map(Object.entries(propertyNames).map(([column, property]) => [property, column]));

/** The properties of TEXT columns that contain JSON. */
const jsonProperties = new Set([
  "accounts",
  "choices",
  "content",
  "crops",
  "events",
  "limits",
  "media",
  "metadata",
  "options",
  "metrics",
  "parts",
  "payload",
  "progress",
  "tags",
  "variants",
]);

/** The properties of columns that contain 0 or 1. */
const isBoolean = (property: string): boolean =>
  /^(is|has|can|was|includes|passes|holds)[A-Z]|(Changed|Indexed|Verified)$/.test(property);

export const toPropertyName = (column: string): string =>
  propertyNames[column] ?? column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The name of a table or column. Also accepts names that are already in the form of the database. */
export function toColumnName(property: string): string {
  let column = columnNames.get(property);
  if (column === undefined) {
    column = property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columnNames.set(property, column);
  }
  return column;
}

/** The columns of these properties in SQL, optionally of a table with this alias. */
export const listColumns = (properties: readonly string[], alias?: string): string =>
  properties.map((property) => `${alias === undefined ? "" : `${alias}.`}${toColumnName(property)}`).join(", ");

/** Makes a compiler of Kysely write names in the form of the database. */
export const translateNames = (compiler: QueryCompiler): QueryCompiler =>
  Object.assign(compiler, { sanitizeIdentifier: toColumnName });

/** A value as both drivers accept it: objects as JSON, booleans as 0 or 1. */
export function toColumnValue(value: unknown): unknown {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

const parseJson = (value: unknown): unknown => JSON.parse(value as string);
const parseBoolean = (value: unknown): unknown => value === 1 || value === true;

function findParser(property: string): ((value: unknown) => unknown) | undefined {
  if (jsonProperties.has(property)) return parseJson;
  return isBoolean(property) ? parseBoolean : undefined;
}

type RowReader = (values: readonly unknown[]) => Record<string, unknown>;

/**
 * Returns a function that creates a row from the values of a result. All rows have the same hidden class, so that V8
 * reads them fast: objects from node:sqlite and a loop over new properties would be dictionaries or slow to create.
 */
export function createRowReader(columns: readonly string[]): RowReader {
  const properties = columns.map(toPropertyName);
  const emptyRow: Record<string, unknown> = Object.fromEntries(properties.map((property) => [property, null]));
  const parsers = properties.map(findParser);
  return (values) => {
    const row = { ...emptyRow };
    for (let i = 0; i < properties.length; i++) {
      const value = values[i];
      const parse = parsers[i];
      row[properties[i]!] = parse === undefined || value === null ? value : parse(value);
    }
    return row;
  };
}

/** Creates one reader for each statement. Only `IN` lists of varying length can fill the cache. */
export function createRowReaderCache(): (sql: string, columns: readonly { name: string }[]) => RowReader {
  const cache = new Map<string, { columnCount: number; readRow: RowReader }>();
  return (sql, columns) => {
    const cachedEntry = cache.get(sql);
    // A newer version may have added a column to a table since.
    if (cachedEntry?.columnCount === columns.length) return cachedEntry.readRow;
    if (cache.size >= 500) cache.clear();
    const newEntry = { columnCount: columns.length, readRow: createRowReader(columns.map(({ name }) => name)) };
    cache.set(sql, newEntry);
    return newEntry.readRow;
  };
}
