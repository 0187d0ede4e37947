import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlatformConnection } from "#domain/model/connection.ts";
import type { PlatformInfo } from "#domain/model/platform.ts";
import { createTextChecks } from "#domain/model/validation/text-checks.ts";
import { validatePost } from "#domain/model/validation/validate-post.ts";
import { readCalendarFeed } from "#domain/publishing/calendar-feeds.ts";
import { findPublishProblems } from "#domain/steps/find-publish-problems.ts";

/** Counts the turns of the event loop until the work ends. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isRunning = true;
  const count = (): void => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  await work;
  isRunning = false;
  return turns;
}

test("a long calendar feed is written in parts, between which other requests run (FEED-3, F4)", async () => {
  const account = { id: "1", handle: "harbour", name: null };
  const entry = { id: "pub_1", postId: "pst_1", state: "scheduled", sequence: 1, url: null, createdAt: 1, at: 1 };
  const entries = Array.from({ length: 2000 }, () => ({
    ...entry,
    ...{ platform: "sandbox", account, title: "A vase", postRevision: 1, postUpdatedAt: 1, trashedAt: null },
  }));
  const deps = {
    calendarFeeds: { findStudio: async () => ({ id: "std_1", name: "Studio" }), listEntries: async () => entries },
    rateLimits: { hit: async () => true },
    clock: () => 0,
    baseUrl: "http://localhost",
  };
  assert.ok((await countTurns(readCalendarFeed(deps as never, "token"))) >= 15);
});

const limits = { text: { max: 280, unit: "graphemes" }, allowsMixedKinds: false, sources: [{ url: "", readOn: "" }] };
const platform = { id: "sandbox", name: "Sandbox", limits, canReply: true, canPublish: true, options: [] };
const platforms = { find: () => platform as unknown as PlatformInfo };
const account = { id: "1", handle: "harbour", name: null, avatarUrl: null, profileUrl: null };
const connection = { id: "plc_1", platform: "sandbox", account, limits: null, state: "connected" };
const connections = [connection as unknown as PlatformConnection];
const variants = [{ connectionId: "plc_1", followUps: Array.from({ length: 24 }, () => "e\u0301".repeat(2500)) }];
const post = { id: "pst_1", revision: 1, title: "", body: "Text", assets: [], variants, crops: [], status: "draft" };

test("long follow-ups are counted in parts, and once per revision (FOLLOW-4, F7)", async () => {
  const deps = { platforms, textChecks: createTextChecks() };
  assert.ok((await countTurns(validatePost(deps, connections, post))) >= 24);
  assert.ok((await countTurns(validatePost(deps, connections, post))) < 5);
  const [view] = await validatePost(deps, connections, { ...post, revision: 2, variants: [] });
  assert.deepEqual(view?.problems, []);
});

test("publishing counts long follow-ups in parts (FOLLOW-4, F7)", async () => {
  const deps = { platforms, imageInspections: { list: async () => new Map() } };
  assert.ok((await countTurns(findPublishProblems(deps as never, post as never, [], connections))) >= 5);
});
