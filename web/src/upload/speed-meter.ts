/** How fast bytes go, over the last few seconds. */
export interface SpeedMeter {
  record(sent: number, now: number): void;
  /** Bytes a second. */
  getSpeed(now: number): number;
  reset(): void;
}

const windowMs = 6000;

export function createSpeedMeter(): SpeedMeter {
  let samples: { at: number; sent: number }[] = [];
  return {
    record(sent, now) {
      const last = samples.at(-1);
      // What was lost with a connection is sent again: the count begins anew.
      if (last && sent < last.sent) samples = [];
      if (last && now - last.at < 150) return;
      samples.push({ at: now, sent });
      while (samples.length > 2 && (samples[1]?.at ?? now) < now - windowMs) samples.shift();
    },
    getSpeed(now) {
      const [first] = samples;
      const last = samples.at(-1);
      if (!first || !last || last.at - first.at < 300) return 0;
      // Time that passed since anything came counts too, so that a stalled upload slows down before one's eyes.
      const endTime = now - last.at > 2000 ? now : last.at;
      return ((last.sent - first.sent) * 1000) / (endTime - first.at);
    },
    reset: () => void (samples = []),
  };
}
