import { addDays, toLocalTime } from "#portable/zoned-time.ts";

/** A slot is a cell of the calendar: a day (`2026-11-15`), or an hour of a day (`2026-11-15T09`). */

export const getNeighbor = (slot: string, key: string): string => {
  const [day = "", hour] = slot.split("T");
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const nextDay = addDays(day, key === "ArrowLeft" ? -1 : 1);
    return hour === undefined ? nextDay : `${nextDay}T${hour}`;
  }
  const step = key === "ArrowUp" ? -1 : 1;
  return hour === undefined ? addDays(day, 7 * step) : `${day}T${String(Number(hour) + step).padStart(2, "0")}`;
};

/** Whether a day is over, or an hour has started. `now` is in the studio's time zone: `2026-11-15T09:30`. */
export const hasPassed = (slot: string, now: string): boolean =>
  slot.includes("T") ? `${slot}:00` <= now : slot < now.slice(0, 10);

/** Whether all of a day or an hour is over, so that nothing can be planned for it. */
export const isOver = (slot: string, now: string): boolean => slot < now.slice(0, slot.length);

const suggestedTimeOfDay = "T09:00";

/** Later today: the second full hour from now, the next full hour, or the next quarter of an hour. */
const suggestionsForToday = [
  { leadMinutes: 120, stepMinutes: 60 },
  { leadMinutes: 60, stepMinutes: 60 },
  { leadMinutes: 15, stepMinutes: 15 },
];

/** The local time for a post that is dropped on a slot or created in it; undefined if the slot has passed. */
export function suggestTimeAt(slot: string, timezone: string, now = Date.now()): string | undefined {
  const localNow = toLocalTime(now, timezone);
  const localTime = slot.includes("T") ? `${slot}:00` : `${slot}${suggestedTimeOfDay}`;
  if (localTime > localNow) return localTime;
  if (slot !== localNow.slice(0, 10)) return undefined;
  return suggestionsForToday
    .map(({ leadMinutes, stepMinutes }) => roundDown(toLocalTime(now + leadMinutes * 60_000, timezone), stepMinutes))
    .find((suggestion) => suggestion.startsWith(slot));
}

function roundDown(localTime: string, stepMinutes: number): string {
  const minutes = Number(localTime.slice(14));
  return `${localTime.slice(0, 14)}${String(minutes - (minutes % stepMinutes)).padStart(2, "0")}`;
}
