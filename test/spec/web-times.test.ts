import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatDate, formatExactTime, formatTime, formatTimeOfDay } from "../../web/src/ui/format-time.ts";
import { getFirstCharacter } from "../../web/src/ui/first-character.ts";
import { formatRelativeTime } from "../../web/src/ui/format-relative-time.ts";
import { getEndOfDay, getStartOfDay, resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";
import { suggestTimeAt } from "../../web/src/posts/calendar/calendar-slots.ts";
import { findPostTime } from "../../web/src/posts/find-post-time.ts";

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

const now = Date.parse("2026-03-01T12:00:00Z");
const format = (seconds: number): string => formatRelativeTime(now + seconds * 1000, now);

describe("relative times", () => {
  test("are worded as the browser words them", () => {
    const browserFormat = new Intl.RelativeTimeFormat("en", { numeric: "always" });
    const units = [
      ["minute", 60, [1, 2, 59]],
      ["hour", 3600, [1, 2, 23]],
      ["day", 86_400, [1, 2, 13]],
      ["week", 604_800, [2, 4]],
      ["month", 2_592_000, [1, 2, 12]],
      ["year", 31_536_000, [1, 2, 30]],
    ] as const;
    for (const [unit, seconds, counts] of units)
      for (const count of counts)
        for (const sign of [1, -1])
          assert.equal(format(sign * count * seconds), browserFormat.format(sign * count, unit));
  });

  test("round to the nearest unit, and show nothing shorter than a minute", () => {
    assert.equal(format(0), "just now");
    assert.equal(format(-59), "just now");
    assert.equal(format(-100), "2 minutes ago");
    assert.equal(format(-80), "1 minute ago");
    assert.equal(format(5400), "in 2 hours");
    assert.equal(format(7 * 86_400), "in 7 days");
    assert.equal(format(-13.6 * 86_400), "2 weeks ago");
    assert.equal(format(-59.6 * 60), "1 hour ago");
  });
});

test("an avatar shows the first character of a name as users see it", () => {
  const names = { ada: "A", " grace": "G", é: "É", "e\u0301lan": "E\u0301", "👩‍💻 Kim": "👩‍💻", "7 Hills": "7", "": "" };
  for (const [name, character] of Object.entries(names)) assert.equal(getFirstCharacter(name), character);
});

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

const createdAt = "2026-05-01T09:00:00.000Z";
const earlier = "2026-05-02T09:00:00.000Z";
const later = "2026-05-03T09:00:00.000Z";

const createPublication = (connectionId: string, state: string, scheduledFor: string | null) => ({
  connectionId,
  state,
  createdAt: earlier,
  scheduledFor,
  publishedAt: state === "published" ? scheduledFor : null,
});

const findTime = (status: string, ...publications: ReturnType<typeof createPublication>[]) =>
  findPostTime({ status, createdAt, publications });

test("the time of a post is its next planned one, or the last one at which it went out or was due (WEB-12)", () => {
  const missed = createPublication("harbour", "missed", earlier);
  const failed = createPublication("quay", "failed", later);
  const published = createPublication("pier", "published", earlier);
  const scheduled = createPublication("wharf", "scheduled", later);
  assert.deepEqual(findTime("draft"), { kind: "created", at: createdAt });
  assert.deepEqual(findTime("draft", missed), { kind: "due", at: earlier });
  assert.deepEqual(findTime("draft", missed, failed), { kind: "due", at: later });
  const failedAtOnce = createPublication("quay", "failed", null);
  assert.deepEqual(findTime("draft", failedAtOnce), { kind: "due", at: earlier });
  assert.deepEqual(findTime("draft", createPublication("pier", "proposed", null)), { kind: "created", at: createdAt });
  assert.deepEqual(findTime("ready", failed, published), { kind: "published", at: earlier });
  assert.deepEqual(findTime("ready", missed, published, scheduled), { kind: "planned", at: later });
  assert.deepEqual(findTime("archived", missed), { kind: "created", at: createdAt });
});
