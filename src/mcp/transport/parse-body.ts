import { isUtf8 } from "node:buffer";
import { errorCodes, createRejection, type Rejection } from "../protocol/messages.ts";

const maxDepth = 64;
/** Members and elements in one message: far more than any tool takes, few enough to parse in a moment. */
const maxValues = 20_000;
/** The longest number, or run of white space, that anyone has a use for. */
const maxRunLength = 10_000;
/** A message longer than this brings a file, in one string; its strings are not read before it is known to be welcome. */
const longMessageBytes = 1024 * 1024;
/** How much of the strings of such a message is read: ids and names, which stand near its top, and are short. */
const maxKeptStringBytes = 64;
const argumentsDepth = 3;

export interface ParsedBody {
  kind: "parsed";
  /** The message; if it is a long one, with empty strings in the place of long ones. */
  value: unknown;
  /** Reads a long message to the full. Throws where it is not JSON after all. */
  parseFull: (() => unknown) | undefined;
}

/** Parses a body at a cost that no sender can drive up: what would be slow or deep is refused, what is long is put off. */
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

/** Looks at brackets, commas, gaps and strings in one pass over the bytes; notes where the long strings are. */
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
        if (depth < argumentsDepth) return "a long string in a place that takes none";
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
        if (++runLength > maxRunLength) return `a number or a blank longer than ${maxRunLength} characters`;
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

/** Where a string ends. Byte by byte at first; what is long is a file in base64, whose windows without an escape are leapt over. */
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
