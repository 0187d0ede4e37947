export interface ByteRange {
  start: number;
  /** Included. */
  end: number;
}

/**
 * RFC 9110 §14.2: the one range that is asked for. Undefined means the whole: also for a header that is malformed,
 * in another unit, or asks for several ranges, which a server may ignore and which mostly abuse asks for.
 */
export function parseRange(header: string | undefined, bytes: number): ByteRange | "unsatisfiable" | undefined {
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? "unsatisfiable" : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === "" ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= bytes ? "unsatisfiable" : { start, end };
}
