import sharp from "sharp";
import type { MediaFacts } from "#domain/assets/asset.ts";
import { canHaveThumbnail, unknownFacts, type MediaReader } from "#domain/assets/media.ts";
import { createAttempts } from "./attempts.ts";
import { openOnlyOurTypes } from "./decoders.ts";
import { describePicture } from "./picture.ts";
import { createQueue } from "./queue.ts";
import { makeThumbnail } from "./thumbnail.ts";
import { createVideoReader } from "./video.ts";

/** A look that takes longer is not worth waiting for. */
const patienceMs = 3000;
/** Pictures opened at once: each may take a core, and memory for all its pixels. */
const atOnce = 2;
/** A picture is read into memory to be opened. */
const maxPictureBytes = 100 * 1024 * 1024;
/** A picture that could not be opened, and took so long to say so, is not tried again for a while. */
const costlyMs = 500;

export function createMediaReader(): MediaReader {
  // The library's own cache and threads would multiply what `atOnce` allows.
  sharp.cache(false);
  sharp.concurrency(1);
  openOnlyOurTypes();
  const inTurn = createQueue(atOnce);
  const attempt = createAttempts<Uint8Array>();
  // Whoever waits longer has been answered already, and would keep a file in memory for nobody.
  const inTurnFilms = createQueue(atOnce, patienceMs);
  const describeVideo = createVideoReader();
  return {
    async describe(source, mimeType) {
      if (mimeType.startsWith("image/")) return orUnknown(describePicture(source));
      if (mimeType.startsWith("video/")) return orUnknown(inTurnFilms(() => describeVideo(source, patienceMs)));
      return unknownFacts;
    },
    async thumbnail(key, source, mimeType) {
      if (!canHaveThumbnail(mimeType) || source.bytes > maxPictureBytes) return undefined;
      return attempt(key, (notAgain) =>
        inTurn(async () => {
          const bytes = await source.read(0, source.bytes); // what the store has to say of it is not the picture's fault
          const began = performance.now();
          return makeThumbnail(bytes).catch(() => {
            if (performance.now() - began > costlyMs) notAgain();
            return undefined;
          });
        }),
      );
    },
  };
}

/** Files are opened on a stranger's word: whatever goes wrong with one says that its measures are not known. */
async function orUnknown(look: Promise<MediaFacts>): Promise<MediaFacts> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<MediaFacts>((resolve) => {
    timer = setTimeout(() => resolve(unknownFacts), patienceMs);
  });
  try {
    return await Promise.race([look.catch(() => unknownFacts), late]);
  } finally {
    clearTimeout(timer);
  }
}
