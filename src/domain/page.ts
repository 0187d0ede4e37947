import { z } from "zod";
import { AppError } from "#lib/errors.ts";

export const pageInput = {
  limit: z.number().int().min(1).max(100).default(20).describe("How many to answer at most."),
  cursor: z.string().max(500).optional().describe("`nextCursor` of the page before; leave out for the first page."),
};

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Reads one row more than asked for, which tells whether there is a next page. */
export function toPage<T extends { id: string }>(rows: readonly T[], limit: number, list: string): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor(list, last.id) : null };
}

/**
 * A cursor is the id it continues after, bound to the list it came from: the studio and its filters.
 * It grants nothing, the query is always the caller's own; a foreign one is refused because its page would lie.
 */
export function readCursor(cursor: string | undefined, list: string): string | undefined {
  if (cursor === undefined) return undefined;
  const [from, after, ...rest] = Buffer.from(cursor, "base64url").toString().split("\n");
  if (from !== list || !after || rest.length > 0 || encodeCursor(list, after) !== cursor) {
    throw new AppError("invalid_input", "cursor: it does not belong to this list.", "Ask again without cursor to begin at the first page.");
  }
  return after;
}

function encodeCursor(list: string, after: string): string {
  return Buffer.from(`${list}\n${after}`).toString("base64url");
}
