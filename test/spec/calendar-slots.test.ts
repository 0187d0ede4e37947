import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { suggestTimeAt } from "../../web/src/posts/calendar/calendar-slots.ts";

const suggestAt = (dayOrHour: string, utcTime: string, timezone = "Europe/Berlin") =>
  suggestTimeAt(dayOrHour, timezone, Date.parse(`${utcTime}Z`));

describe("the suggested time of a post on the calendar", () => {
  test("is nine o'clock if that is in the future, or the hour that the user chose", () => {
    assert.equal(suggestAt("2026-11-16", "2026-11-15T12:20"), "2026-11-16T09:00");
    assert.equal(suggestAt("2026-11-15", "2026-11-15T05:00"), "2026-11-15T09:00");
    assert.equal(suggestAt("2026-11-15T22", "2026-11-15T12:20"), "2026-11-15T22:00");
  });

  test("is later today, never tomorrow, after nine o'clock", () => {
    assert.equal(suggestAt("2026-11-15", "2026-11-15T12:20"), "2026-11-15T15:00");
    assert.equal(suggestAt("2026-11-15", "2026-11-15T21:20"), "2026-11-15T23:00");
    assert.equal(suggestAt("2026-11-15", "2026-11-15T22:20"), "2026-11-15T23:30");
    assert.equal(suggestAt("2026-11-15", "2026-11-15T22:44"), "2026-11-15T23:45");
    assert.equal(suggestAt("2026-11-15", "2026-11-15T17:05", "Asia/Kathmandu"), "2026-11-15T23:00");
  });

  test("is undefined when the day or hour has passed", () => {
    assert.equal(suggestAt("2026-11-15", "2026-11-15T22:50"), undefined);
    assert.equal(suggestAt("2026-11-14", "2026-11-15T12:20"), undefined);
    assert.equal(suggestAt("2026-11-15T13", "2026-11-15T12:20"), undefined);
  });
});
