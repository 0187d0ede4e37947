import assert from "node:assert/strict";
import { test } from "node:test";
import { findPostTime } from "../../web/src/posts/find-post-time.ts";

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
