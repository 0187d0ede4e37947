import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { bluesky } from "#connectors/catalog/bluesky.ts";
import { mastodon } from "#connectors/catalog/mastodon.ts";
import { threads } from "#connectors/catalog/threads.ts";
import { x } from "#connectors/catalog/x.ts";
import type { PlatformConnection } from "#domain/platforms/connection.ts";
import { createTextChecks } from "#domain/platforms/text-checks.ts";
import { validatePost } from "#domain/platforms/validate-post.ts";
import { countText, type TextLimit } from "#portable/count-text.ts";
import { findBlueskyFeatures } from "#portable/text-features.ts";
import { fakePlatforms } from "../support/platform-fixture.ts";

const longTexts = ["word ".repeat(1980), "नि".repeat(4950), "👩‍👩‍👧‍👦".repeat(900), "日".repeat(100_000)];
const segmentingLimits = [bluesky, mastodon, threads, x].flatMap(({ limits }) => limits.text ?? []);

test("segments a long text only until it exceeds the limit by 1,000 characters (F7)", (t) => {
  const segmented = countSegmented(t);
  for (const text of longTexts)
    for (const limit of segmentingLimits) {
      segmented.graphemes = 0;
      const length = countText(text, limit);
      assert.ok(length > limit.max, `${length}`);
      assert.ok(segmented.graphemes <= limit.max + 1002, `${segmented.graphemes} of ${text.slice(0, 5)}`);
    }
});

test("the length is exact up to 1,000 characters above the limit, and above that is never less (F7)", () => {
  const limit: TextLimit = { unit: "graphemes", max: 300 };
  const segmenter = new Intl.Segmenter("en");
  for (const part of ["a", "é", "e\u0301", "नि", "👩‍👩‍👧‍👦", "日", "\r\n", "🇫🇷", "각"])
    for (const repetitions of [1, 299, 300, 301, 1299, 1302, 3000]) {
      const text = `${part.repeat(repetitions)} ${part}`;
      const exactLength = Array.from(segmenter.segment(text)).length;
      const length = countText(text, limit);
      if (exactLength <= 1300) assert.equal(length, exactLength, text.slice(0, 5));
      else assert.ok(length >= exactLength, text.slice(0, 5));
    }
});

const variantCount = 50;

/** A post with a long text for each of many accounts. */
function createLongPost(): { connections: PlatformConnection[]; post: Parameters<typeof validatePost>[2] } {
  const connections = Array.from(
    { length: variantCount },
    (_, i) => ({ id: `plc_${i}`, platform: "somewhere", account: { id: `${i}`, name: null } }) as PlatformConnection,
  );
  const variants = connections.map(({ id }) => ({ connectionId: id, body: `${id} ${"word ".repeat(1978)}` }));
  return { connections, post: { id: "pst_1", revision: 1, title: "Title", body: "Text", assets: [], variants } };
}

const platforms = {
  ...fakePlatforms,
  find: () => ({ ...fakePlatforms.find("somewhere")!, limits: mastodon.limits }),
};

test("20 reads at once of a post with 50 long variants count each text once, and later ones none (F7)", async (t) => {
  const { connections, post } = createLongPost();
  const segmented = countSegmented(t);
  const deps = { platforms, textChecks: createTextChecks() };
  const reads = await Promise.all(Array.from({ length: 20 }, () => validatePost(deps, connections, post)));
  assert.equal(segmented.texts, variantCount);
  for (const read of reads) assert.deepEqual(read, reads[0]);
  assert.deepEqual(
    reads[0]?.map(({ text }) => text?.length),
    post.variants?.map(({ body = "" }) => body.length),
  );

  await validatePost(deps, connections, post);
  assert.equal(segmented.texts, variantCount, "a later read");
  const variants = post.variants?.map((variant) => ({ ...variant, body: `${variant.body}!` })) ?? [];
  const [validation] = await validatePost(deps, connections, { ...post, revision: 2, variants });
  assert.equal(segmented.texts, 2 * variantCount, "a new revision");
  assert.equal(validation?.text?.length, variants[0]?.body.length);
});

test("other requests run after each long text that is counted (F7)", async (t) => {
  const { connections, post } = createLongPost();
  const segmented = countSegmented(t);
  const textsPerIteration: number[] = [];
  let isDone = false;
  const countIteration = (): void => {
    textsPerIteration.push(segmented.texts);
    segmented.texts = 0;
    if (!isDone) setImmediate(countIteration);
  };
  setImmediate(countIteration);
  const deps = { platforms, textChecks: createTextChecks() };
  const posts = Array.from({ length: 5 }, (_, i) => ({ ...post, id: `pst_${i}` }));
  await Promise.all(posts.map((each) => validatePost(deps, connections, each)));
  isDone = true;
  assert.ok(Math.max(...textsPerIteration) <= 1, textsPerIteration.join(" "));
});

test("finds short tags without segmenting them (F7)", (t) => {
  const segmented = countSegmented(t);
  assert.equal(findBlueskyFeatures("#a ".repeat(3300)).length, 3300);
  assert.equal(segmented.texts, 0);
  assert.deepEqual(findBlueskyFeatures(`#${"a".repeat(65)} #${"👩‍👩‍👧‍👦".repeat(10)}`).length, 1);
});

/** Counts the texts that are segmented, and the graphemes that are read from them. */
function countSegmented(t: TestContext): { texts: number; graphemes: number } {
  const counts = { texts: 0, graphemes: 0 };
  const { segment } = Intl.Segmenter.prototype;
  t.mock.method(Intl.Segmenter.prototype, "segment", function* (this: Intl.Segmenter, text: string) {
    counts.texts++;
    for (const data of segment.call(this, text)) {
      counts.graphemes++;
      yield data;
    }
  } as unknown as typeof segment);
  return counts;
}
