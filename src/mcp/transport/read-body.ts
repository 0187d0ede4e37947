import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { findShapeProblem } from "#lib/parse-json.ts";
import { findJsonHeaderProblem, readBody, type JsonHeaderProblem } from "#lib/request-body.ts";
import { errorCodes, createBadRequest, createRejection, type Rejection } from "../protocol/messages.ts";

export const maxBodyBytes = 16 * 1024 * 1024;
/** Limits on the bytes of unfinished bodies in this process, in total and per user. */
const maxBufferedBytes = 256 * 1024 * 1024;
const maxBufferedBytesPerUser = 64 * 1024 * 1024;
/** Bodies up to this size are accepted even when the limits are reached. */
const alwaysAcceptedBytes = 64 * 1024;

/** Rejects bodies with 415 unless they are declared as unencoded JSON in UTF-8, and with 413 if declared too long. */
export function checkBodyHeaders(req: IncomingMessage): Rejection | undefined {
  const problem = findJsonHeaderProblem(req, maxBodyBytes);
  return problem && headerRejections[problem]();
}

const unsupportedRejection = (message: string): Rejection =>
  createRejection(415, errorCodes.httpError, `Unsupported Media Type: ${message}`);

/** The message starts with an error code that tells the client to use a presigned upload. */
const tooLargeRejection = (): Rejection =>
  createRejection(
    413,
    errorCodes.httpError,
    `inline_too_large_use_presign: the message is larger than ${maxBodyBytes} bytes; upload the file with request_asset_upload or create_upload_session instead.`,
  );

export const batchTooLongRejection = (): Rejection =>
  createBadRequest("the batch is too long; send its messages one at a time");

const headerRejections: Record<JsonHeaderProblem, () => Rejection> = {
  content_type: () => unsupportedRejection("Content-Type must be application/json, in UTF-8"),
  content_encoding: () => unsupportedRejection("Content-Encoding is not supported"),
  too_large: tooLargeRejection,
};

/** There is no error code for an overloaded server. `storage_unavailable` has the same status, 503; clients retry it. */
const overloadedRejection = (): Rejection =>
  createRejection(
    503,
    errorCodes.httpError,
    "storage_unavailable: too many long messages at once; try again in a moment.",
  );

export type BodyReader = (req: IncomingMessage, userId: string) => Promise<Buffer | Rejection>;

/** Returns a rejection for bodies above the limits. Throws if the client disconnects. */
export function createBodyReader(): BodyReader {
  let bufferedBytes = 0;
  const bufferedBytesByUser = new Map<string, number>();
  const adjustBuffered = (userId: string, bytes: number): void => {
    bufferedBytes += bytes;
    const userBytes = (bufferedBytesByUser.get(userId) ?? 0) + bytes;
    if (userBytes > 0) bufferedBytesByUser.set(userId, userBytes);
    else bufferedBytesByUser.delete(userId);
  };
  const isOverloaded = (userId: string): boolean =>
    bufferedBytes > maxBufferedBytes || (bufferedBytesByUser.get(userId) ?? 0) > maxBufferedBytesPerUser;

  return async (req, userId) => {
    let requestBytes = 0;
    try {
      return await readBody(req, (receivedBytes, chunkBytes) => {
        requestBytes = receivedBytes;
        adjustBuffered(userId, chunkBytes);
        if (receivedBytes > maxBodyBytes) return tooLargeRejection();
        return receivedBytes > alwaysAcceptedBytes && isOverloaded(userId) ? overloadedRejection() : undefined;
      });
    } finally {
      adjustBuffered(userId, -requestBytes);
    }
  };
}

/** Far above what any tool needs, and still fast to parse. */
const shapeLimits = { maxValues: 20_000, maxRunLength: 10_000 };
/** Longer messages contain a file; their long strings are only parsed after the call has been authorized. */
const longMessageBytes = 1024 * 1024;
/** Strings up to this length are always parsed: methods, ids and names are short. */
const alwaysParsedStringBytes = 64;
/** The depth of the values in `params.arguments`. */
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
  const longStringRanges: number[] = []; // start, end, start, end, …
  const recordLongString = (start: number, end: number, depth: number): string | undefined => {
    if (end - start <= alwaysParsedStringBytes) return undefined;
    if (depth < argumentsDepth) return "a long string outside the arguments";
    longStringRanges.push(start, end);
    return undefined;
  };
  const problem = findShapeProblem(bytes, isLong ? { ...shapeLimits, onString: recordLongString } : shapeLimits);
  if (problem !== undefined) return createRejection(400, errorCodes.invalidRequest, `Invalid Request: ${problem}`);
  try {
    const text = longStringRanges.length === 0 ? bytes.toString() : omitRanges(bytes, longStringRanges);
    return {
      kind: "parsed",
      value: JSON.parse(text),
      parseFull: isLong ? () => JSON.parse(bytes.toString()) as unknown : undefined,
    };
  } catch {
    return createRejection(400, errorCodes.parseError, "Parse error: the body is not valid JSON");
  }
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
