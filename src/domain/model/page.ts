import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError } from "#lib/errors.ts";

export const pageInput = {
  limit: z.number().int().min(1).max(100).default(20),
  cursor: z
    .string()
    .max(500)
    .optional()
    .describe("Pass the previous page's nextCursor until it is null, even after a short page."),
};

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/**
 * Callers query `limit + 1` rows: an extra row means that there is a next page. `scannedTo` is the last id that a
 * bounded search read before it stopped; the next page starts after this id.
 */
export function toPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  listKey: string,
  scannedTo?: string,
  toPosition = (row: T): string => row.id,
): Page<T> {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  const position = last ? toPosition(last) : scannedTo;
  return { items, nextCursor: position === undefined ? null : encodeCursor(listKey, position) };
}

/** A position in a list that is sorted by time, and then by id. */
export interface TimePosition {
  at: number;
  id: string;
}

/** Like `toPage`, for a list that is sorted by time. */
export const toTimePage = <T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  listKey: string,
  getTime: (row: T) => number,
): Page<T> => toPage(rows, limit, listKey, undefined, (row) => `${getTime(row)}.${row.id}`);

export function parseTimeCursor(cursor: string | undefined, listKey: string): TimePosition | undefined {
  const [at, id] = parseCursor(cursor, listKey, timePattern)?.split(".") ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

const timePattern = /^\d{1,15}\.[a-z]{3}_[0-9a-z]{26}$/;
const idPattern = /^[a-z]{3}_[0-9a-z]{26}$/;

/**
 * A cursor contains the last position of the previous page, by default an id, and a hash of its list (studio and
 * filters). It grants no access; a cursor of another list is rejected because it would skip or repeat items.
 */
export function parseCursor(cursor: string | undefined, listKey: string, pattern = idPattern): string | undefined {
  if (cursor === undefined) return undefined;
  const position = Buffer.from(cursor, "base64url").toString().split("\n").at(1) ?? "";
  // Pass only well-formed positions to the database: PostgreSQL rejects NUL characters.
  if (!pattern.test(position) || encodeCursor(listKey, position) !== cursor) {
    throw new AppError("invalid_input:cursor");
  }
  return position;
}

/** Hashes the list key, which may contain a long query, to keep cursors short. */
export function encodeCursor(listKey: string, position: string): string {
  return Buffer.from(`${createHash("sha256").update(listKey).digest("base64url")}\n${position}`).toString("base64url");
}
