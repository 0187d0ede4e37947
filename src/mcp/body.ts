import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { errorCodes, reject, type Rejection } from "./messages.ts";

export const maxBodyBytes = 16 * 1024 * 1024;
/** Bytes of unfinished long bodies this process holds at once. */
const maxHeldBytes = 256 * 1024 * 1024;
const maxDepth = 64;
/** Members and elements in one message: far more than any tool takes, few enough to parse in a moment. */
const maxValues = 20_000;

const json = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** 415 for a body we would have to guess about. */
export function checkBodyHeaders({ headers }: IncomingMessage): Rejection | undefined {
  const type = headers["content-type"];
  if (type !== "application/json" && !json.test(type ?? ""))
    return reject(
      415,
      errorCodes.httpRefusal,
      "Unsupported Media Type: Content-Type must be application/json, in UTF-8",
    );
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    return reject(415, errorCodes.httpRefusal, "Unsupported Media Type: Content-Encoding is not supported");
  if (Number(headers["content-length"]) > maxBodyBytes) return tooLarge();
  return undefined;
}

/** The SPEC's word for it comes first: whoever sends that much inline should presign. */
const tooLarge = (): Rejection =>
  reject(
    413,
    errorCodes.httpRefusal,
    `inline_too_large_use_presign: the message is longer than ${maxBodyBytes} bytes; upload the file with request_asset_upload or create_upload_session instead.`,
  );

export type ReadBody = (req: IncomingMessage) => Promise<Buffer | Rejection>;

/** Reads bodies up to the cap, whatever their headers promised; rejects with the stream's error where it breaks off. */
export function createBodyReader(): ReadBody {
  let held = 0;
  return (req) =>
    new Promise((resolve, fail) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const settle = (outcome: Buffer | Rejection): void => {
        held -= length;
        req
          .removeListener("data", take)
          .removeListener("end", done)
          .removeListener("close", lost)
          .removeListener("error", lost);
        resolve(outcome);
      };
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        length += chunk.length;
        held += chunk.length;
        if (length > maxBodyBytes) settle(tooLarge());
        else if (held > maxHeldBytes)
          settle(
            reject(
              503,
              errorCodes.httpRefusal,
              "storage_unavailable: too many long messages at once; try again in a moment.",
            ),
          );
      };
      const done = (): void => settle(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      const lost = (): void => {
        held -= length;
        fail(new Error("the request broke off"));
      };
      req.on("data", take).once("end", done).once("close", lost).once("error", lost);
    });
}

export interface Parsed {
  kind: "parsed";
  value: unknown;
}

export function parseBody(bytes: Buffer): Parsed | Rejection {
  if (!isUtf8(bytes)) return reject(400, errorCodes.parseError, "Parse error: the body is not UTF-8");
  const fault = checkShape(bytes);
  if (fault) return reject(400, errorCodes.invalidRequest, `Invalid Request: ${fault}`);
  try {
    return { kind: "parsed", value: JSON.parse(bytes.toString()) };
  } catch {
    return reject(400, errorCodes.parseError, "Parse error: the body is not JSON");
  }
}

/** What would be slow or deep to parse is told from its brackets and commas, in one pass over the bytes. */
function checkShape(bytes: Buffer): string | undefined {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case 0x22: // "
        for (i++; i < bytes.length && bytes[i] !== 0x22; i++) if (bytes[i] === 0x5c) i++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth > maxDepth) return `nested deeper than ${maxDepth} levels`;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (++values > maxValues) return `more than ${maxValues} values`;
    }
  }
  return undefined;
}
