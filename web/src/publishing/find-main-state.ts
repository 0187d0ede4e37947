/** From the state that needs a user's attention most to the state that needs none. */
const statesByUrgency = [
  "unconfirmed",
  "failed",
  "missed",
  "proposed",
  "publishing",
  "scheduled",
  "published",
  "canceled",
] as const;

type State = (typeof statesByUrgency)[number];

/** Sorts the state that needs a user's attention most first. */
export const compareUrgency = (a: State, b: State): number => statesByUrgency.indexOf(a) - statesByUrgency.indexOf(b);

/**
 * The most urgent state of a post's publications. Only the newest publication of each account counts, ignoring canceled
 * ones; `publications` must be sorted, newest first.
 */
export function findMainState(publications: readonly AccountState[]): State | undefined {
  const states = listNewestStates(publications);
  return statesByUrgency.find((state) => states.includes(state));
}

/** If a post is published to some of its accounts only: to how many of how many. */
export function countPartlyPublished(
  publications: readonly AccountState[],
): { count: number; total: number } | undefined {
  const states = listNewestStates(publications);
  const count = states.filter((state) => state === "published").length;
  return count === 0 || count === states.length ? undefined : { count, total: states.length };
}

interface AccountState {
  connectionId: string;
  state: string;
}

function listNewestStates(publications: readonly AccountState[]): string[] {
  const newestStates = new Map<string, string>();
  for (const { connectionId, state } of publications)
    if (state !== "canceled" && !newestStates.has(connectionId)) newestStates.set(connectionId, state);
  return [...newestStates.values()];
}
