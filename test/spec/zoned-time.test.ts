import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getEndOfDay, getStartOfDay, resolveLocalTime, toLocalTime } from "../../web/src/publishing/zoned-time.ts";

const resolve = (local: string, timezone: string): string => {
  const time = resolveLocalTime(local, timezone);
  return time.kind === "valid" ? time.iso : time.kind;
};

describe("local times in a studio's time zone", () => {
  test("resolves to the offset of that day, not of today", () => {
    assert.equal(resolve("2026-01-15T09:30", "Europe/Berlin"), "2026-01-15T09:30:00+01:00");
    assert.equal(resolve("2026-07-15T09:30", "Europe/Berlin"), "2026-07-15T09:30:00+02:00");
    assert.equal(resolve("2026-07-15T09:30", "America/St_Johns"), "2026-07-15T09:30:00-02:30");
    assert.equal(resolve("2026-07-15T09:30", "Asia/Kathmandu"), "2026-07-15T09:30:00+05:45");
    assert.equal(resolve("2026-07-15T09:30", "UTC"), "2026-07-15T09:30:00+00:00");
  });

  test("rejects times that clocks skip", () => {
    assert.equal(resolve("2026-03-29T01:59", "Europe/Berlin"), "2026-03-29T01:59:00+01:00");
    assert.equal(resolve("2026-03-29T02:00", "Europe/Berlin"), "nonexistent");
    assert.equal(resolve("2026-03-29T02:59", "Europe/Berlin"), "nonexistent");
    assert.equal(resolve("2026-03-29T03:00", "Europe/Berlin"), "2026-03-29T03:00:00+02:00");
    assert.equal(resolve("2026-03-08T02:30", "America/New_York"), "nonexistent");
    assert.equal(resolve("2026-10-04T02:15", "Australia/Lord_Howe"), "nonexistent");
    assert.equal(resolve("2011-12-30T12:00", "Pacific/Apia"), "nonexistent");
  });

  test("chooses the first of two equal local times, and reports the ambiguity", () => {
    assert.deepEqual(resolveLocalTime("2026-10-25T02:30", "Europe/Berlin"), {
      kind: "valid",
      iso: "2026-10-25T02:30:00+02:00",
      isAmbiguous: true,
    });
    assert.equal(resolve("2026-11-01T01:30", "America/New_York"), "2026-11-01T01:30:00-04:00");
    assert.equal(resolve("2026-10-25T03:00", "Europe/Berlin"), "2026-10-25T03:00:00+01:00");
  });

  test("rejects incomplete and impossible input", () => {
    for (const local of ["", "2026-11-15", "2026-13-01T00:00", "2026-02-30T25:00", "soon"])
      assert.equal(resolve(local, "Europe/Berlin"), "incomplete", local);
  });

  test("round-trips times of a whole year", () => {
    for (const timezone of ["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Casablanca"])
      for (let instant = Date.UTC(2026, 0, 1); instant < Date.UTC(2027, 0, 1); instant += 5 * 3_600_000) {
        const local = toLocalTime(instant, timezone);
        const time = resolveLocalTime(local, timezone);
        assert.ok(time.kind === "valid", `${timezone} ${local}`);
        assert.ok(Date.parse(time.iso) === instant || (time.isAmbiguous && Date.parse(time.iso) < instant), local);
      }
  });

  test("finds the bounds of a day, even if clocks skip its midnight", () => {
    const toIso = (instant: number) => new Date(instant).toISOString();
    assert.equal(toIso(getStartOfDay("2026-11-15", "Europe/Berlin")), "2026-11-14T23:00:00.000Z");
    assert.equal(toIso(getEndOfDay("2026-03-29", "Europe/Berlin")), "2026-03-29T21:59:59.999Z");
    assert.equal(toIso(getStartOfDay("2026-09-06", "America/Santiago")), "2026-09-06T04:00:00.000Z");
  });
});
