import type { IncomingMessage } from "node:http";
import { errorCodes, createRejection, type Rejection } from "../protocol/messages.ts";

export const maxBodyBytes = 16 * 1024 * 1024;
/** Limits for the bytes of unfinished bodies in this process, in total and per user. */
const maxBufferedBytes = 256 * 1024 * 1024;
const maxBufferedBytesPerUser = 64 * 1024 * 1024;
/** A body up to this size is accepted even when the limits are reached. */
const alwaysAcceptedBytes = 64 * 1024;
const jsonContentType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i;

/** Rejects bodies with 415 unless they are declared as unencoded JSON in UTF-8, and with 413 if declared too long. */
export function checkBodyHeaders({ headers }: IncomingMessage): Rejection | undefined {
  const type = headers["content-type"];
  if (type !== "application/json" && !jsonContentType.test(type ?? ""))
    return createRejection(
      415,
      errorCodes.httpError,
      "Unsupported Media Type: Content-Type must be application/json, in UTF-8",
    );
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity")
    return createRejection(415, errorCodes.httpError, "Unsupported Media Type: Content-Encoding is not supported");
  if (Number(headers["content-length"]) > maxBodyBytes) return tooLargeRejection();
  return undefined;
}

/** Starts with the error code of the specification, which tells the client to use a presigned upload. */
const tooLargeRejection = (): Rejection =>
  createRejection(
    413,
    errorCodes.httpError,
    `inline_too_large_use_presign: the message is larger than ${maxBodyBytes} bytes; upload the file with request_asset_upload or create_upload_session instead.`,
  );

const overloadedRejection = (): Rejection =>
  createRejection(
    503,
    errorCodes.httpError,
    "storage_unavailable: too many long messages at once; try again in a moment.",
  );

export type BodyReader = (req: IncomingMessage, userId: string) => Promise<Buffer | Rejection>;

/** Reads bodies up to the limit, whatever Content-Length says. Rejects if the client disconnects. */
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

  return (req, userId) =>
    new Promise((resolve, rejectPromise) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const release = (): void => {
        adjustBuffered(userId, -length);
        req
          .removeListener("data", onData)
          .removeListener("end", onEnd)
          .removeListener("close", onAborted)
          .removeListener("error", onAborted);
      };
      const finish = (outcome: Buffer | Rejection): void => {
        release();
        resolve(outcome);
      };
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        length += chunk.length;
        adjustBuffered(userId, chunk.length);
        if (length > maxBodyBytes) finish(tooLargeRejection());
        else if (length > alwaysAcceptedBytes && isOverloaded(userId)) finish(overloadedRejection());
      };
      const onEnd = (): void => finish(Buffer.concat(chunks));
      const onAborted = (): void => {
        release(); // removes the listeners first: a disconnect can emit both `error` and `close`
        rejectPromise(new Error("the client disconnected before the end of the body"));
      };
      req.on("data", onData).once("end", onEnd).once("close", onAborted).once("error", onAborted);
    });
}
