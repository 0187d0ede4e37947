/** Each chunk of a body takes Node's parser about 1 µs, however short it is. */
const minAverageBytes = 64;
/** Chunks that may be shorter than the average. Longer ones allow as many again. */
const maxShortChunks = 1000;

/** Returns a function that counts a chunk and returns whether the chunks are still long enough for the body's size. */
export function createChunkLimit(): (chunkBytes: number) => boolean {
  let remainingChunks = maxShortChunks;
  return (chunkBytes) => {
    if (remainingChunks >= 0)
      remainingChunks = Math.min(remainingChunks - 1 + chunkBytes / minAverageBytes, maxShortChunks);
    return remainingChunks >= 0;
  };
}
