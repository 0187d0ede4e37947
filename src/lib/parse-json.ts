import { AppError } from "./errors.ts";

/** More than any real input needs, and cheap to parse. */
const maxDepth = 64;

/** Replaces a value while it is parsed. `source` is the text of a number, a string, a boolean or null. */
export type JsonReviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Parses untrusted JSON. Checks the depth before parsing: megabytes of `[` take a parser seconds, and deeply nested
 * values overflow the stack of any code that walks them later, including the logger.
 */
export function parseJson(
  bytes: Uint8Array,
  { reviver, ...limits }: { reviver?: JsonReviver; maxValues?: number } = {},
): unknown {
  if (findShapeProblem(bytes, limits) !== undefined) throw new AppError("invalid_input:json_shape");
  try {
    // The types of TypeScript do not have the third parameter of a reviver.
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), reviver as never);
  } catch {
    throw new AppError("invalid_input:json");
  }
}

export interface ShapeLimits {
  /** Limit on the total number of members and elements. */
  maxValues?: number;
  /** Limit on the length of a number or a run of whitespace. */
  maxRunLength?: number;
  /** Called with the range and depth of each string. If it returns a problem, the check stops and returns it. */
  onString?: (start: number, end: number, depth: number) => string | undefined;
}

/** Checks depth and other limits of JSON in one pass over its bytes, without parsing it. */
export function findShapeProblem(
  bytes: Uint8Array,
  { maxValues = Infinity, maxRunLength = Infinity, onString }: ShapeLimits = {},
): string | undefined {
  let depth = 0;
  let values = 0;
  let runLength = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case quote: {
        const start = i + 1;
        i = findStringEnd(bytes, start);
        runLength = 0;
        const problem = onString?.(start, i, depth);
        if (problem !== undefined) return problem;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        values++;
        runLength = 0;
        if (++depth > maxDepth) return `nested deeper than ${maxDepth} levels`;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        runLength = 0;
        break;
      case 0x2c: // ,
        runLength = 0;
        if (++values > maxValues) return `more than ${maxValues} values`;
        break;
      default:
        if (++runLength > maxRunLength) return `a number or whitespace longer than ${maxRunLength} characters`;
    }
  }
  return undefined;
}

const quote = 0x22;
const backslash = 0x5c;
const stepBytes = 4096;
const windowBytes = 64 * 1024;

/**
 * Returns the index of the closing quote, or `bytes.length`. Compares `stepBytes` one by one, then searches windows
 * without a backslash with `indexOf`, which is faster: long strings are base64, so most have no escapes.
 */
function findStringEnd(bytes: Uint8Array, from: number): number {
  let i = from;
  while (i < bytes.length) {
    for (const stop = Math.min(i + stepBytes, bytes.length); i < stop; i++) {
      if (bytes[i] === quote) return i;
      if (bytes[i] === backslash) i++;
    }
    for (
      let window = bytes.subarray(i, i + windowBytes);
      window.length > 0 && !window.includes(backslash);
      window = bytes.subarray(i, i + windowBytes)
    ) {
      const end = window.indexOf(quote);
      if (end >= 0) return i + end;
      i += window.length;
    }
  }
  return i;
}
