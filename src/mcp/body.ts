import type { IncomingMessage } from "node:http";
import { errorCodes, reject, type Rejection } from "./messages.ts";

const maxBodyBytes = 16 * 1024 * 1024;
/** Bytes of unfinished long bodies this process holds at once. */
const maxHeldBytes = 256 * 1024 * 1024;
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
      const done = (): void => settle(Buffer.concat(chunks));
      const lost = (): void => {
        held -= length;
        fail(new Error("the request broke off"));
      };
      req.on("data", take).once("end", done).once("close", lost).once("error", lost);
    });
}
