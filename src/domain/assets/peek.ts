/** A stream whose beginning was looked at, and which can still be read whole. */
export interface Peeked {
  head: Uint8Array;
  all(): AsyncIterable<Uint8Array>;
}

export async function createPeek(body: AsyncIterable<Uint8Array>, bytes: number): Promise<Peeked> {
  const chunks: Uint8Array[] = [];
  const rest = body[Symbol.asyncIterator]();
  let size = 0;
  while (size < bytes) {
    const next = await rest.next();
    if (next.done) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* chunks.splice(0);
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  }
  return { head: Buffer.concat(chunks).subarray(0, bytes), all };
}
