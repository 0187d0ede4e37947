/** A stream whose beginning was looked at, and which can still be read whole. */
export interface PeekedStream {
  head: Uint8Array;
  readAll(): AsyncIterable<Uint8Array>;
}

export async function peekStream(body: AsyncIterable<Uint8Array>, bytes: number): Promise<PeekedStream> {
  const chunks: Uint8Array[] = [];
  const iterator = body[Symbol.asyncIterator]();
  let size = 0;
  while (size < bytes) {
    const next = await iterator.next();
    if (next.done) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  async function* readAll(): AsyncGenerator<Uint8Array> {
    yield* chunks.splice(0);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  }
  return { head: Buffer.concat(chunks).subarray(0, bytes), readAll };
}
