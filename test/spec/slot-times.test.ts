import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listSlotTimes } from "#portable/slot-times.ts";
import { resolveTimesOfDay, toLocalTime } from "#portable/zoned-time.ts";
import { days, hours, minutes } from "#lib/clock.ts";

const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2029, 0, 1)];

/** The offset as the platform prints it, independent of the code under test. */
function createOffsetReader(timezone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en", { timeZone: timezone, timeZoneName: "longOffset" });
  return (instant) => {
    const name = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hour, minute] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name) ?? assert.fail(name);
    return (sign === "-" ? -1 : 1) * (hours(Number(hour ?? 0)) + minutes(Number(minute ?? 0)));
  };
}

interface Change {
  timezone: string;
  at: number;
  before: number;
  after: number;
}

/** When the offset changes, found in steps of a week and then by bisection. */
function listChanges(timezone: string): Change[] {
  const getOffset = createOffsetReader(timezone);
  const changes: Change[] = [];
  for (let from = start; from < end; from += days(7)) {
    let [low, high] = [from, from + days(7)];
    const [before, after] = [getOffset(low), getOffset(high)];
    if (before === after) continue;
    while (high - low > minutes(1)) {
      const middle = low + Math.floor((high - low) / minutes(2)) * minutes(1);
      if (getOffset(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ timezone, at: high, before, after });
  }
  return changes;
}

const allChanges = Intl.supportedValuesOf("timeZone").flatMap(listChanges);
/** One time zone for each set of changes. */
const distinctTimezones = Map.groupBy(new Set(allChanges.map(({ timezone }) => timezone)), (timezone) =>
  JSON.stringify(
    allChanges.filter((change) => change.timezone === timezone),
    ["at", "before", "after"],
  ),
);

describe("slots and daylight saving time", () => {
  test("a skipped time moves forward by the gap, and one that occurs twice happens once, in every time zone (SLOT-4)", () => {
    const kinds = { skipped: 0, repeated: 0, other: 0 };
    for (const { timezone, at, before, after } of allChanges) {
      const [first, last] = [at + Math.min(before, after), at + Math.max(before, after)];
      for (let wallTime = first - hours(1); wallTime <= last + hours(1); wallTime += minutes(15)) {
        const isBetween = wallTime >= first && wallTime < last;
        const [day = "", time = ""] = new Date(wallTime).toISOString().slice(0, 16).split("T");
        const expected = isBetween || wallTime < first ? wallTime - before : wallTime - after;
        const label = `${timezone} ${day} ${time}`;
        assert.deepEqual(resolveTimesOfDay(day, [time], timezone), [expected], label);
        const shift = isBetween && after > before ? after - before : 0;
        const shown = new Date(wallTime + shift).toISOString().slice(0, 16);
        assert.equal(toLocalTime(expected, timezone), shown, label);
        const betweenKind = after > before ? "skipped" : "repeated";
        kinds[isBetween ? betweenKind : "other"]++;
      }
    }
    assert.ok(Math.min(...Object.values(kinds)) > 1000, JSON.stringify(kinds));
  });

  test("a daily slot has one instant a day for three years, whichever changes a time zone has (SLOT-4)", () => {
    for (const [timezone = ""] of distinctTimezones.values()) {
      const time = "02:30";
      const slots = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time }));
      const instants = listSlotTimes(slots, timezone, { after: start, days: 1095 });
      const localDays = instants.map((instant) => toLocalTime(instant, timezone).slice(0, 10));
      assert.equal(new Set(localDays).size, instants.length, timezone);
      assert.ok(Math.abs(instants.length - 1095) <= 1, `${timezone}: ${instants.length}`);
      const shifted = instants.filter((instant) => !toLocalTime(instant, timezone).endsWith(`T${time}`));
      const skipped = allChanges.filter((change) => {
        const first = (change.at + change.before) % days(1);
        const isSkipped = first <= hours(2.5) && first + change.after - change.before > hours(2.5);
        return change.timezone === timezone && isSkipped;
      });
      assert.equal(shifted.length, skipped.length, timezone);
    }
  });

  test("slots that a change moves to the same instant count once, in the order of their instants (SLOT-4)", () => {
    const slots = ["02:30", "03:30", "03:00"].map((time) => ({ weekday: 7, time }));
    const after = Date.parse("2026-03-28T12:00Z");
    const listed = listSlotTimes(slots, "Europe/Berlin", { after, days: 1 }).map((at) => new Date(at).toISOString());
    assert.deepEqual(listed, ["2026-03-29T01:00:00.000Z", "2026-03-29T01:30:00.000Z"]);
  });
});
