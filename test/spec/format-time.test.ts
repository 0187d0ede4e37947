import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatDate, formatExactTime, formatTime, formatTimeOfDay } from "../../web/src/ui/format-time.ts";

const timezone = "Europe/Berlin";

describe("dates and times in the web app", () => {
  test("the day comes before the month, in the studio's time zone", () => {
    const at = "2026-11-15T23:30:00Z";
    assert.equal(formatExactTime(at, timezone), "Mon, 16 Nov 2026, 00:30 GMT+1");
    assert.equal(formatDate(at, timezone), "Monday, 16 November 2026");
    assert.equal(formatTimeOfDay(at, timezone), "00:30");
  });

  test("names UTC only in that time zone", () => {
    const at = "2026-11-15T09:30:00Z";
    assert.equal(formatExactTime(at, "UTC"), "Sun, 15 Nov 2026, 09:30 UTC");
    assert.equal(formatExactTime(at, "Europe/Lisbon"), "Sun, 15 Nov 2026, 09:30 GMT+0");
  });

  test("a time has its weekday within six months, and otherwise its year", (t) => {
    t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 10, 18) });
    assert.equal(formatTime("2020-11-15T08:30:00Z", timezone), "15 Nov 2020, 09:30");
    assert.equal(formatTime("2026-11-15T08:30:00Z", timezone), "Sun 15 Nov, 09:30");
  });
});
