import { parentPort, workerData } from "node:worker_threads";
import { ALL_FORMATS, CustomSource, Input } from "mediabunny";
import type { MediaFacts } from "#domain/assets/asset.ts";

/** The other side of video.ts: asks for bytes by message, and says what it found. */
export interface Asked {
  start: number;
  end: number;
}

const port = parentPort;
if (!port) throw new Error("only to be run as a worker");

const read = ({ start, end }: Asked): Promise<Uint8Array> =>
  new Promise((resolve) => {
    port.once("message", resolve);
    port.postMessage({ start, end } satisfies Asked);
  });

/** One at a time, so that each answer belongs to the question before it. */
let last: Promise<unknown> = Promise.resolve();
const input = new Input({
  formats: ALL_FORMATS,
  source: new CustomSource({
    getSize: () => workerData as number,
    read: (start, end) => {
      const next = last.then(() => read({ start, end }));
      last = next;
      return next;
    },
    maxCacheSize: 16 * 1024 * 1024,
  }),
});

const track = await input.getPrimaryVideoTrack();
const seconds = await input.getDurationFromMetadata();
port.postMessage({
  width: track ? known(await track.getDisplayWidth()) : null,
  height: track ? known(await track.getDisplayHeight()) : null,
  durationMs: known((seconds ?? 0) * 1000),
} satisfies MediaFacts);

/** A figure that says something, as a whole number. */
function known(value: number): number | null {
  return Number.isFinite(value) && value >= 1 ? Math.round(value) : null;
}
