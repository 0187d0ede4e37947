import { toLocalTime } from "../../publishing/zoned-time.ts";

/** The time of day that is suggested for a post on a day. */
const suggestedTimeOfDay = "T09:00";

/** Later today: the second full hour from now, the next full hour, or the next quarter of an hour. */
const suggestionsForToday = [
  { leadMinutes: 120, stepMinutes: 60 },
  { leadMinutes: 60, stepMinutes: 60 },
  { leadMinutes: 15, stepMinutes: 15 },
];

/** The time for a post that is dropped on or created for a day or an hour; undefined if it has passed. */
export function suggestTimeAt(place: string, timezone: string, now = Date.now()): string | undefined {
  const localNow = toLocalTime(now, timezone);
  const localTime = place.includes("T") ? `${place}:00` : `${place}${suggestedTimeOfDay}`;
  if (localTime > localNow) return localTime;
  if (place !== localNow.slice(0, 10)) return undefined;
  return suggestionsForToday
    .map(({ leadMinutes, stepMinutes }) => roundDown(toLocalTime(now + leadMinutes * 60_000, timezone), stepMinutes))
    .find((suggestion) => suggestion.startsWith(place));
}

function roundDown(localTime: string, stepMinutes: number): string {
  const minutes = Number(localTime.slice(14));
  return `${localTime.slice(0, 14)}${String(minutes - (minutes % stepMinutes)).padStart(2, "0")}`;
}
