import type { IncomingMessage } from "node:http";
import { AppError, edgeError } from "#lib/errors.ts";
import { parseJson } from "#lib/json.ts";

const maxBytes = 1024 * 1024;

const jsonContentType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/i;

/** The body as JSON. What it is comes from its headers, how long it is from its bytes alone. */
export async function readJsonBody(req: IncomingMessage): Promise<unknown> {
  const {
    "content-type": type = "",
    "content-encoding": encoding = "identity",
    "content-length": length,
  } = req.headers;
  if (!jsonContentType.test(type) || encoding.toLowerCase() !== "identity") {
    throw edgeError(
      "unsupported_type",
      "The body must be JSON in UTF-8, and not compressed.",
      "Send it as content-type: application/json.",
    );
  }
  if (Number(length) > maxBytes) throw tooLargeError();
  return parseJson(await readBytes(req));
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // The stream outlives a refusal, so that the answer still reaches whoever is sending.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLargeError();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw edgeError("invalid_input", "The body broke off before its end.", "Send the request again.", {
      cause: error,
    });
  }
  return Buffer.concat(chunks);
}

const tooLargeError = (): AppError =>
  edgeError("too_large", `The body is longer than ${maxBytes} bytes.`, "Send less at once.");
