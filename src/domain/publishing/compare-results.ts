import { z } from "zod";
import { days, toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import { parseConnectionId } from "../model/connection.ts";
import { findIncomparable, type IncomparableReason, type MissingReason } from "../model/results.ts";
import { id } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { toSnapshotView } from "./results.ts";

const maxPosts = 500;

export const compareResultsInput = z.strictObject({
  connectionId: id,
  /** How old the posts were when they were read, in hours. */
  age: z.int().min(1).max(2160),
  /** How many days ago the oldest post was published, at most. */
  days: z.int().min(1).max(730),
});

interface ComparedPost {
  publicationId: string;
  postId: string;
  title: string;
  tags: readonly string[];
  publishedAt: string;
  url: string | null;
  /** Null, with the reason, if the post can't be compared; `metrics` is empty then. */
  readAt: string | null;
  reason: IncomparableReason | null;
  metrics: Record<string, number | null>;
  /** Why a metric is null. */
  reasons: Record<string, MissingReason>;
}

interface Comparison {
  /** What the platform calls each metric; null if it has none. */
  sources: Record<string, string | null>;
  /** Newest first. */
  posts: ComparedPost[];
  /** Whether older posts of these days are left out. */
  isTruncated: boolean;
  /** Whether the platform's results are read at all, and at which ages. */
  isRead: boolean;
  ages: readonly number[];
}

/** Lists what the platform counted for the posts of one account, all read at the same age, under the same definition. */
export async function compareResults(
  deps: Pick<Deps, "platformStore" | "results" | "publisher" | "clock">,
  caller: Caller,
  { connectionId, age, days: dayCount }: z.infer<typeof compareResultsInput>,
): Promise<Comparison> {
  authorize(caller, "publications.read");
  const connection = await deps.platformStore.find(caller.studio.id, parseConnectionId(connectionId));
  if (!connection) throw notFoundError("platform_connection");
  const now = deps.clock();
  const rows = await deps.results.listAtAge(connection.id, age, now - days(dayCount), maxPosts + 1);
  const newestDefinition = rows.find(({ snapshot }) => snapshot)?.snapshot?.definition;
  const sources: Comparison["sources"] = {};
  const posts = rows.slice(0, maxPosts).map(({ snapshot, publishedAt, ...post }): ComparedPost => {
    const view = { ...post, publishedAt: toIsoTime(publishedAt) };
    const reason = findIncomparable({ publishedAt, age, now, snapshot, definition: newestDefinition });
    if (reason || !snapshot) return { ...view, readAt: null, reason, metrics: {}, reasons: {} };
    for (const [name, { source }] of Object.entries(snapshot.metrics)) sources[name] ??= source;
    return { ...view, reason, ...toSnapshotView(snapshot) };
  });
  const isRead = deps.publisher.getResultBatchSize(connection.platform) > 0;
  const ages = deps.publisher.getResultAges(connection.platform);
  return { sources, posts, isTruncated: rows.length > maxPosts, isRead, ages };
}
