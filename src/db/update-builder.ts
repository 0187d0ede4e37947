import { toColumnName } from "./columns.ts";
import { prepare, type Statement } from "./database.ts";

/** Part of an UPDATE: complete SQL, or SQL before and after the placeholder of a value. */
export type UpdatePart = string | [sqlBefore: string, value: unknown, sqlAfter?: string];

/** Sets columns to the values of these properties, except those that are undefined. */
export const assign = (values: object): UpdatePart[] =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([property, value]) => [`${toColumnName(property)} =`, value]);

/**
 * Builds an UPDATE and its parameters. Each combination of columns and conditions is compiled and prepared once; a query
 * builder would compile it for every call.
 */
export function buildUpdate<Row>(
  table: string,
  columns: string,
  assignments: readonly UpdatePart[],
  conditions: readonly UpdatePart[],
): [statement: Statement<Row>, params: unknown[]] {
  const params: unknown[] = [];
  const render = (part: UpdatePart): string =>
    typeof part === "string" ? part : `${part[0]} $${params.push(part[1])}${part[2] ?? ""}`;
  const setClause = assignments.map(render).join(", ");
  const sql = `UPDATE ${table} SET ${setClause} WHERE ${conditions.map(render).join(" AND ")} RETURNING ${columns}`;
  return [prepare(sql), params];
}
