import { parentPort } from "node:worker_threads";
import { ALL_FORMATS, CustomSource, Input } from "mediabunny";
import type { MediaFacts } from "#domain/assets/asset.ts";

/** The other side of video.ts: is told to look at a file, asks for its bytes by message, and says what it found. */
export type ToWorker = { look: number; size: number } | { look: number; bytes: Uint8Array };
export type FromWorker = { look: number; start: number; end: number } | { look: number; facts: MediaFacts | undefined };

const port = parentPort;
if (!port) throw new Error("only to be run as a worker");
const say = (message: FromWorker): void => port.postMessage(message, []);

/** The one question that is open. Answers to a look that is over belong to nobody. */
let asked: { look: number; resolve: (bytes: Uint8Array) => void } | undefined;

port.on("message", (message: ToWorker) => {
  if ("size" in message) void answer(message.look, message.size);
  else if (asked?.look === message.look) asked.resolve(message.bytes);
});

async function answer(look: number, size: number): Promise<void> {
  const facts = await describe(look, size).catch(() => undefined);
  say({ look, facts });
}

async function describe(look: number, size: number): Promise<MediaFacts> {
  // One at a time, so that each answer belongs to the question before it.
  let last: Promise<unknown> = Promise.resolve();
  const read = (start: number, end: number): Promise<Uint8Array> => {
    const next = last.then(
      () =>
        new Promise<Uint8Array>((resolve) => {
          asked = { look, resolve };
          say({ look, start, end });
        }),
    );
    last = next;
    return next;
  };
  const source = new CustomSource({ getSize: () => size, read, maxCacheSize: 16 * 1024 * 1024 });
  const input = new Input({ formats: ALL_FORMATS, source });
  const track = await input.getPrimaryVideoTrack();
  const seconds = await input.getDurationFromMetadata();
  return {
    width: track ? known(await track.getDisplayWidth()) : null,
    height: track ? known(await track.getDisplayHeight()) : null,
    durationMs: known((seconds ?? 0) * 1000),
  };
}

/** A figure that says something, as a whole number. */
function known(value: number): number | null {
  return Number.isFinite(value) && value >= 1 ? Math.round(value) : null;
}
