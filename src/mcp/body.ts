import type { IncomingMessage } from "node:http";
import { errorCodes, reject, type Rejection } from "./messages.ts";

export const maxBodyBytes = 16 * 1024 * 1024;
/** Bytes of unfinished bodies this process holds at once: of everyone, and of one person. */
const maxHeldBytes = 256 * 1024 * 1024;
const maxHeldByOne = 64 * 1024 * 1024;
/** A message no longer than this is never refused for what else is being sent. */
const shortBytes = 64 * 1024;
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

const tooMuch = (): Rejection =>
  reject(503, errorCodes.httpRefusal, "storage_unavailable: too many long messages at once; try again in a moment.");

/** `sender`: the person whose message it is. */
export type ReadBody = (req: IncomingMessage, sender: string) => Promise<Buffer | Rejection>;

/** Reads bodies up to the cap, whatever their headers promised; rejects with the stream's error where it breaks off. */
export function createBodyReader(): ReadBody {
  let held = 0;
  const heldBy = new Map<string, number>();
  const hold = (sender: string, bytes: number): void => {
    held += bytes;
    const own = (heldBy.get(sender) ?? 0) + bytes;
    if (own > 0) heldBy.set(sender, own);
    else heldBy.delete(sender);
  };
  const isTooMuch = (sender: string): boolean => held > maxHeldBytes || (heldBy.get(sender) ?? 0) > maxHeldByOne;

  return (req, sender) =>
    new Promise((resolve, fail) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const letGo = (): void => {
        hold(sender, -length);
        req
          .removeListener("data", take)
          .removeListener("end", done)
          .removeListener("close", lost)
          .removeListener("error", lost);
      };
      const settle = (outcome: Buffer | Rejection): void => {
        letGo();
        resolve(outcome);
      };
      const take = (chunk: Buffer): void => {
        chunks.push(chunk);
        length += chunk.length;
        hold(sender, chunk.length);
        if (length > maxBodyBytes) settle(tooLarge());
        else if (length > shortBytes && isTooMuch(sender)) settle(tooMuch());
      };
      const done = (): void => settle(Buffer.concat(chunks));
      const lost = (): void => {
        letGo(); // before anything else tells of the same loss: it counts once
        fail(new Error("the request broke off"));
      };
      req.on("data", take).once("end", done).once("close", lost).once("error", lost);
    });
}
