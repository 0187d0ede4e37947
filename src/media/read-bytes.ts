import type { Readable } from "node:stream";

/** Reads exactly `length` bytes and leaves the stream open; undefined if the stream ends earlier or has more. */
export async function readBytes(stream: Readable, length: number): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(length);
  let position = 0;
  if (length === 0) return bytes;
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (position + chunk.length > length) return undefined;
    bytes.set(chunk, position);
    position += chunk.length;
    if (position === length) return bytes;
  }
  return undefined;
}
