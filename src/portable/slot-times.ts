import { addDays, resolveTimesOfDay, toLocalTime } from "./zoned-time.ts";

export interface SlotTime {
  /** Monday is 1, Sunday 7. */
  weekday: number;
  /** `HH:MM` in the studio’s time zone. */
  time: string;
}

/**
 * The instants of weekly slots, sorted: those later than `after`, in the time zone’s next `days` days. Slots that a
 * change of daylight saving time moves to the same instant count once.
 */
export function listSlotTimes(
  slots: readonly SlotTime[],
  timezone: string,
  { after, days }: { after: number; days: number },
): number[] {
  const today = toLocalTime(after, timezone).slice(0, 10);
  const latest = after + days * 86_400_000;
  const instants = new Set<number>();
  for (let index = -1; index <= days + 1; index++) {
    const day = addDays(today, index);
    const weekday = new Date(day).getUTCDay() || 7;
    const times = slots.filter((slot) => slot.weekday === weekday).map(({ time }) => time);
    if (times.length > 0) for (const instant of resolveTimesOfDay(day, times, timezone)) instants.add(instant);
  }
  return [...instants].filter((instant) => instant > after && instant <= latest).toSorted((a, b) => a - b);
}
