import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { days, seconds, toIsoTime } from "#lib/clock.ts";
import { getPollIntervalMs } from "../../web/src/chat-app/poll-interval.ts";

describe("how often the in-chat app reads the post", () => {
  const now = Date.parse("2026-11-16T12:00:00Z");
  const getInterval = (state: string, dueIn?: number) => {
    const time = dueIn === undefined ? undefined : toIsoTime(now + dueIn);
    return getPollIntervalMs({ accounts: [{ publication: undefined }, { publication: { state, time } }] }, now);
  };
  const [fast, slow] = [seconds(3), seconds(20)];

  test("every 3 seconds while a publication runs, is due or will be due soon (CHAT-13)", () => {
    assert.equal(getInterval("publishing", -seconds(5)), fast);
    assert.equal(getInterval("scheduled"), fast);
    assert.equal(getInterval("scheduled", -days(1)), fast);
    assert.equal(getInterval("scheduled", seconds(30)), fast);
  });

  test("every 20 seconds otherwise, even if a publication is scheduled for next month (CHAT-13)", () => {
    assert.equal(getPollIntervalMs(undefined, now), slow);
    assert.equal(getInterval("scheduled", days(30)), slow);
    for (const state of ["proposed", "published", "failed", "unconfirmed"]) assert.equal(getInterval(state), slow);
  });
});
