import type { PublicationChange, PublicationCondition } from "#domain/publishing/ports.ts";
import { statement, type Statement } from "./client.ts";
import { toColumns, type PublicationRow } from "./publication-rows.ts";

/** Prepared once for each combination of columns and conditions, of which the domain has about twenty. */
const statements = new Map<string, Statement<PublicationRow>>();

/** Returns the statement that changes a publication if it meets the condition, and its parameters. */
export function buildUpdate(
  publicationId: string,
  change: PublicationChange,
  { states, fence, digest, scheduledFor, nextRunBefore }: PublicationCondition,
): [Statement<PublicationRow>, unknown[]] {
  const params: unknown[] = [];
  const addParam = (value: unknown): string => `$${params.push(value)}`;
  const assignments = Object.entries(toColumns(change)).map(([column, value]) => `${column} = ${addParam(value)}`);
  const conditions = [`id = ${addParam(publicationId)}`, `state IN (${states.map(addParam).join(", ")})`];
  if (fence !== undefined) conditions.push(`fence = ${addParam(fence)}`);
  if (digest !== undefined) conditions.push(`digest = ${addParam(digest)}`);
  if (scheduledFor === null) conditions.push("scheduled_for IS NULL");
  else if (scheduledFor !== undefined) conditions.push(`scheduled_for = ${addParam(scheduledFor)}`);
  if (nextRunBefore !== undefined) conditions.push(`next_run_at < ${addParam(nextRunBefore)}`);
  const sql = `UPDATE publications SET ${assignments.join(", ")} WHERE ${conditions.join(" AND ")} RETURNING *`;
  const prepared = statements.get(sql) ?? statement<PublicationRow>(`update_publication_${statements.size}`, sql);
  statements.set(sql, prepared);
  return [prepared, params];
}
