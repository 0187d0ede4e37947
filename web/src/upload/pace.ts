/** How fast bytes go, over the last few seconds. */
export interface Pace {
  note(sent: number, now: number): void;
  /** Bytes a second. */
  speed(now: number): number;
  reset(): void;
}

const windowMs = 6000;

export function createPace(): Pace {
  let marks: { at: number; sent: number }[] = [];
  return {
    note(sent, now) {
      const last = marks.at(-1);
      // What was lost with a connection is sent again: the count begins anew.
      if (last && sent < last.sent) marks = [];
      if (last && now - last.at < 150) return;
      marks.push({ at: now, sent });
      while (marks.length > 2 && (marks[1]?.at ?? now) < now - windowMs) marks.shift();
    },
    speed(now) {
      const [first] = marks;
      const last = marks.at(-1);
      if (!first || !last || last.at - first.at < 300) return 0;
      // Time that passed since anything came counts too, so that a stalled upload slows down before one's eyes.
      const quiet = now - last.at > 2000 ? now : last.at;
      return ((last.sent - first.sent) * 1000) / (quiet - first.at);
    },
    reset: () => void (marks = []),
  };
}
