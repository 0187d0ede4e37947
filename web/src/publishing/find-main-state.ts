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
export function findMainState(publications: readonly { connectionId: string; state: string }[]): State | undefined {
  const newestStates = new Map<string, string>();
  for (const { connectionId, state } of publications)
    if (state !== "canceled" && !newestStates.has(connectionId)) newestStates.set(connectionId, state);
  const states = [...newestStates.values()];
  return statesByUrgency.find((state) => states.includes(state));
}
