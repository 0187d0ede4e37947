import { isUtf8 } from "node:buffer";
import { errorCodes, createRejection, type Rejection } from "../protocol/messages.ts";

const maxDepth = 64;
/** Limit of members and elements in one message: far more than any tool needs, but fast to parse. */
const maxValues = 20_000;
/** Limit for a number or a run of whitespace. */
const maxRunLength = 10_000;
/** Longer messages contain a file; their long strings are only parsed after the call has been authorized. */
const longMessageBytes = 1024 * 1024;
/** Strings up to this length are always parsed: methods, ids and names are short. */
const maxKeptStringBytes = 64;
const argumentsDepth = 3;

export interface ParsedBody {
  kind: "parsed";
  /** The message; in a long message, long strings are replaced by empty ones. */
  value: unknown;
  /** Parses a long message in full; undefined for short ones. Throws if it is not JSON. */
  parseFull: (() => unknown) | undefined;
}

/** Parses a body at a bounded cost: rejects deep or slow JSON and defers parsing long strings. */
export function parseBody(bytes: Buffer): ParsedBody | Rejection {
  if (!isUtf8(bytes)) return createRejection(400, errorCodes.parseError, "Parse error: the body is not UTF-8");
  const isLong = bytes.length > longMessageBytes;
  const longStringRanges: number[] = [];
  const problem = findShapeProblem(bytes, isLong ? longStringRanges : undefined);
  if (problem) return createRejection(400, errorCodes.invalidRequest, `Invalid Request: ${problem}`);
  try {
    const text = longStringRanges.length === 0 ? bytes.toString() : omitRanges(bytes, longStringRanges);
    return {
      kind: "parsed",
      value: JSON.parse(text),
      parseFull: isLong ? () => JSON.parse(bytes.toString()) as unknown : undefined,
    };
  } catch {
    return createRejection(400, errorCodes.parseError, "Parse error: the body is not JSON");
  }
}

/** Checks depth, value count and run length in one pass over the bytes, and records the ranges of long strings. */
function findShapeProblem(bytes: Buffer, longStringRanges: number[] | undefined): string | undefined {
  let depth = 0;
  let values = 0;
  let runLength = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    switch (byte) {
      case quote: {
        const start = i + 1;
        i = findStringEnd(bytes, start);
        runLength = 0;
        if (longStringRanges === undefined || i - start <= maxKeptStringBytes) break;
        if (depth < argumentsDepth) return "a long string outside the arguments";
        longStringRanges.push(start, i);
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

function omitRanges(bytes: Buffer, longStringRanges: readonly number[]): string {
  let text = "";
  let from = 0;
  for (let i = 0; i < longStringRanges.length; i += 2) {
    text += bytes.toString("utf8", from, longStringRanges[i]);
    from = longStringRanges[i + 1] ?? from;
  }
  return text + bytes.toString("utf8", from);
}

const quote = 0x22;
const backslash = 0x5c;
const stepBytes = 4096;
const windowBytes = 64 * 1024;

/** The end of a string. Long strings are base64, so after the first bytes it skips whole windows without escapes. */
function findStringEnd(bytes: Buffer, from: number): number {
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
