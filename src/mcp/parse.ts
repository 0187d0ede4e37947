import { isUtf8 } from "node:buffer";
import { errorCodes, reject, type Rejection } from "./messages.ts";

const maxDepth = 64;
/** Members and elements in one message: far more than any tool takes, few enough to parse in a moment. */
const maxValues = 20_000;
/** The longest number, or run of white space, that anyone has a use for. */
const maxGap = 10_000;
/** A message longer than this brings a file, in one string; its strings are not read before it is known to be welcome. */
const plainBytes = 1024 * 1024;
/** How much of the strings of such a message is read: ids and names, which stand near its top, and are short. */
const shortString = 64;
const argumentsDepth = 3;

export interface Parsed {
  kind: "parsed";
  /** The message; if it is a long one, with empty strings in the place of long ones. */
  value: unknown;
  /** Reads a long message to the full. Throws where it is not JSON after all. */
  whole: (() => unknown) | undefined;
}

/** Parses a body at a cost that no sender can drive up: what would be slow or deep is refused, what is long is put off. */
export function parseBody(bytes: Buffer): Parsed | Rejection {
  if (!isUtf8(bytes)) return reject(400, errorCodes.parseError, "Parse error: the body is not UTF-8");
  const long = bytes.length > plainBytes;
  const cuts: number[] = [];
  const fault = checkShape(bytes, long ? cuts : undefined);
  if (fault) return reject(400, errorCodes.invalidRequest, `Invalid Request: ${fault}`);
  try {
    const text = cuts.length === 0 ? bytes.toString() : withoutCuts(bytes, cuts);
    return {
      kind: "parsed",
      value: JSON.parse(text),
      whole: long ? () => JSON.parse(bytes.toString()) as unknown : undefined,
    };
  } catch {
    return reject(400, errorCodes.parseError, "Parse error: the body is not JSON");
  }
}

/** Looks at brackets, commas, gaps and strings in one pass over the bytes; notes where the long strings are. */
function checkShape(bytes: Buffer, cuts: number[] | undefined): string | undefined {
  let depth = 0;
  let values = 0;
  let gap = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    switch (byte) {
      case quote: {
        const start = i + 1;
        i = endOfString(bytes, start);
        gap = 0;
        if (cuts === undefined || i - start <= shortString) break;
        if (depth < argumentsDepth) return "a long string in a place that takes none";
        cuts.push(start, i);
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        values++;
        gap = 0;
        if (++depth > maxDepth) return `nested deeper than ${maxDepth} levels`;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        gap = 0;
        break;
      case 0x2c: // ,
        gap = 0;
        if (++values > maxValues) return `more than ${maxValues} values`;
        break;
      default:
        if (++gap > maxGap) return `a number or a blank longer than ${maxGap} characters`;
    }
  }
  return undefined;
}

function withoutCuts(bytes: Buffer, cuts: readonly number[]): string {
  let text = "";
  let from = 0;
  for (let i = 0; i < cuts.length; i += 2) {
    text += bytes.toString("utf8", from, cuts[i]);
    from = cuts[i + 1] ?? from;
  }
  return text + bytes.toString("utf8", from);
}

const quote = 0x22;
const backslash = 0x5c;
const stepBytes = 4096;
const windowBytes = 64 * 1024;

/** Where a string ends. Byte by byte at first; what is long is a file in base64, whose windows without an escape are leapt over. */
function endOfString(bytes: Buffer, from: number): number {
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
