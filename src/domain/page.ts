import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "#lib/errors.ts";

export const pageInput = {
  limit: z.number().int().min(1).max(100).default(20).describe("Maximum number of results."),
  cursor: z.string().max(500).optional().describe("`nextCursor` of the previous page; omit for the first page."),
};

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/**
 * Reads one row more than asked for, which tells whether there is a next page. `scannedTo`: the id up to which a
 * bounded search has read, where it stopped before the end of the list; the next page continues there.
 */
export function toPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  listKey: string,
  scannedTo?: string,
): Page<T> {
  const items = rows.slice(0, limit);
  const afterId = rows.length > limit ? items.at(-1)?.id : scannedTo;
  return { items, nextCursor: afterId === undefined ? null : encodeCursor(listKey, afterId) };
}

/**
 * A cursor is the id it continues after, bound to the list it came from: the studio and its filters.
 * It grants nothing, the query is always the caller's own; a foreign one is refused because its page would lie.
 */
export function parseCursor(cursor: string | undefined, listKey: string): string | undefined {
  if (cursor === undefined) return undefined;
  const afterId = Buffer.from(cursor, "base64url").toString().split("\n").at(1) ?? "";
  // Only an id goes on to the database; PostgreSQL takes no NUL.
  if (!/^[a-z]{3}_[0-9a-z]{26}$/.test(afterId) || encodeCursor(listKey, afterId) !== cursor) {
    throw new AppError("invalid_input:cursor");
  }
  return afterId;
}

/** The list's name as a digest: it may hold a long search, and a cursor stays short. */
function encodeCursor(listKey: string, afterId: string): string {
  return Buffer.from(`${createHash("sha256").update(listKey).digest("base64url")}\n${afterId}`).toString("base64url");
}
