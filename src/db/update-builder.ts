import { statement, type Statement } from "./database.ts";

/** Part of an UPDATE: complete SQL, or SQL before and after the placeholder of a value. */
export type UpdatePart = string | [sqlBefore: string, value: unknown, sqlAfter?: string];

/**
 * Returns a function that builds an UPDATE and its parameters. Each combination of columns and conditions is compiled
 * and prepared once; a query builder would compile it for every call.
 */
export function createUpdateBuilder<Row>(
  table: string,
): (
  assignments: readonly UpdatePart[],
  conditions: readonly UpdatePart[],
) => [statement: Statement<Row>, params: unknown[]] {
  const statements = new Map<string, Statement<Row>>();
  return (assignments, conditions) => {
    const params: unknown[] = [];
    const render = (part: UpdatePart): string =>
      typeof part === "string" ? part : `${part[0]} $${params.push(part[1])}${part[2] ?? ""}`;
    const setClause = assignments.map(render).join(", ");
    const sql = `UPDATE ${table} SET ${setClause} WHERE ${conditions.map(render).join(" AND ")} RETURNING *`;
    const updateStatement = statements.get(sql) ?? statement<Row>(`update_${table}_${statements.size}`, sql);
    statements.set(sql, updateStatement);
    return [updateStatement, params];
  };
}
