/** Measures the upload speed over the last few seconds. */
export interface SpeedMeter {
  /** `sentBytes` is the total since the start of the upload. */
  record(sentBytes: number, now: number): void;
  /** In bytes per second. */
  getSpeed(now: number): number;
  reset(): void;
}

const windowMs = 6000;

export function createSpeedMeter(): SpeedMeter {
  let samples: { at: number; sentBytes: number }[] = [];
  return {
    record(sentBytes, now) {
      const last = samples.at(-1);
      // The total decreases when a part is interrupted, because its bytes have to be sent again: measure from here.
      if (last && sentBytes < last.sentBytes) samples = [];
      if (last && now - last.at < 150) return;
      samples.push({ at: now, sentBytes });
      while (samples.length > 2 && (samples[1]?.at ?? now) < now - windowMs) samples.shift();
    },
    getSpeed(now) {
      const [first] = samples;
      const last = samples.at(-1);
      if (!first || !last || last.at - first.at < 300) return 0;
      // Include the time since the last progress, so that the speed of a stalled upload drops.
      const endTime = now - last.at > 2000 ? now : last.at;
      return ((last.sentBytes - first.sentBytes) * 1000) / (endTime - first.at);
    },
    reset: () => void (samples = []),
  };
}
