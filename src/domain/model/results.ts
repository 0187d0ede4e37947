import { days, hours } from "#lib/clock.ts";

/** How old a post is when its results are read, in hours: until 90 days. */
export const resultAges = [1, 6, 24, 72, 168, 336, 720, 2160] as const;

/** Later, what was not read yet is given up. */
export const maxReadingAge = days(100);

/** What YouTube says about a channel may be kept only while it is connected (its Developer Policies, III.E.4). */
export const isKeptOnlyWhileConnected = (platform: string): boolean => platform === "youtube";

/** Why a platform's number is not known: it offers none, not to us, not yet, not for deleted posts; or its response has none. */
export type MissingReason = "not_offered" | "not_permitted" | "pending" | "deleted" | "error";

/** `source`: what the platform calls it. A number that is not known is null, with a reason, and never 0. */
export type Metric = { source: string | null } & ({ value: number } | { value: null; reason: MissingReason });

/** By our names, such as `likes`. */
export type Metrics = Readonly<Record<string, Metric>>;

/** What every platform is asked for. Its other numbers follow. */
const commonMetrics = ["likes", "comments", "reposts"] as const;

export interface ResultSnapshot {
  publicationId: string;
  readAt: number;
  /** The due age; 0 if a user asked for the reading. */
  dueAge: number;
  definition: number;
  metrics: Metrics;
}

/** Numbers that were read this much later than at their age don't compare with others. */
const maxLateness = 0.25;

/** Whether a reading was so late that it does not count for its age. */
export const isLate = ({ readAt, dueAge }: Pick<ResultSnapshot, "readAt" | "dueAge">, publishedAt: number): boolean =>
  readAt > publishedAt + hours(dueAge) * (1 + maxLateness);

/** Why a post can't be compared at an age: not old enough, not read, read too late, or counted in another way. */
export type IncomparableReason = "pending" | "not_read" | "late" | "other_definition";

export function findIncomparable({
  publishedAt,
  age,
  now,
  snapshot,
  definition,
}: {
  publishedAt: number;
  age: number;
  now: number;
  /** What was read for this age. */
  snapshot: Pick<ResultSnapshot, "readAt" | "dueAge" | "definition"> | undefined;
  /** The definition that the other posts have. */
  definition: number | undefined;
}): IncomparableReason | null {
  if (!snapshot) return isLate({ readAt: now, dueAge: age }, publishedAt) ? "not_read" : "pending";
  if (isLate(snapshot, publishedAt)) return "late";
  return snapshot.definition === definition ? null : "other_definition";
}

/** The age that a reading counts for (0 before the first), and when the next one is due. After a delay, earlier ages are left out. */
export function planReading(
  publishedAt: number,
  now: number,
  ages: readonly number[] = resultAges,
): { dueAge: number; nextDueAt: number | null } {
  const dueAge = ages.findLast((age) => publishedAt + hours(age) <= now) ?? 0;
  const nextAge = ages.find((age) => publishedAt + hours(age) > now);
  return { dueAge, nextDueAt: nextAge === undefined ? null : publishedAt + hours(nextAge) };
}

export const missing = (reason: MissingReason, source: string | null = null): Metric => ({
  value: null,
  source,
  reason,
});

/** The metrics with all common ones: those that the platform lacks are not known. */
export const completeMetrics = (metrics: Metrics, reason: MissingReason = "not_offered"): Metrics => ({
  ...Object.fromEntries(commonMetrics.map((name) => [name, missing(reason)])),
  ...metrics,
});
