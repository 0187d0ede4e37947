import { ALL_FORMATS, CustomSource, Input } from "mediabunny";
import type { MediaFacts } from "#domain/assets/asset.ts";
import type { ByteSource } from "#domain/assets/byte-source.ts";

/** What one look may read: the tables of a long film, not the film. */
const maxReadBytes = 16 * 1024 * 1024;
const maxReads = 100;

/** Duration and measures from a video's own tables, over ranged reads. */
export async function describeVideo(source: ByteSource): Promise<MediaFacts> {
  let reads = 0;
  let bytes = 0;
  const input = new Input({
    formats: ALL_FORMATS,
    source: new CustomSource({
      getSize: () => source.bytes,
      read: (start, end) => {
        bytes += end - start;
        if (++reads > maxReads || bytes > maxReadBytes) throw new Error("more to read than a look is worth");
        return source.read(start, end);
      },
      maxCacheSize: maxReadBytes,
    }),
  });
  try {
    const track = await input.getPrimaryVideoTrack();
    const seconds = await input.getDurationFromMetadata();
    return {
      width: track ? known(await track.getDisplayWidth()) : null,
      height: track ? known(await track.getDisplayHeight()) : null,
      durationMs: known((seconds ?? 0) * 1000),
    };
  } finally {
    input.dispose();
  }
}

/** A figure that says something, as a whole number. */
const known = (value: number): number | null => (Number.isFinite(value) && value >= 1 ? Math.round(value) : null);
