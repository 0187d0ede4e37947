/** From the state that needs a user's attention most to the state that needs none. */
const statesByUrgency = [
  "unconfirmed",
  "failed",
  "missed",
  "proposed",
  "publishing",
  "scheduled",
  "published",
] as const;

type MainState = (typeof statesByUrgency)[number];

/**
 * The most urgent state of a post's publications. Only the newest publication of each account counts; `publications`
 * must be sorted, newest first.
 */
export function findMainState(publications: readonly { connectionId: string; state: string }[]): MainState | undefined {
  const newestStates = new Map<string, string>();
  for (const { connectionId, state } of publications)
    if (!newestStates.has(connectionId)) newestStates.set(connectionId, state);
  const states = [...newestStates.values()];
  return statesByUrgency.find((state) => states.includes(state));
}
