/** The stored states. Users see `preparing` and `committing` as `publishing`. */
export const publicationStates = [
  "proposed",
  "scheduled",
  "preparing",
  "committing",
  "published",
  "failed",
  "unconfirmed",
  "missed",
  "canceled",
] as const;
export type PublicationState = (typeof publicationStates)[number];

/** The states as users and AI clients see them. */
export const visibleStates = [
  "proposed",
  "scheduled",
  "publishing",
  "published",
  "failed",
  "unconfirmed",
  "missed",
  "canceled",
] as const;
export type VisibleState = (typeof visibleStates)[number];

/** The complete state machine of a publication: state × event → state. Every change in the database follows it. */
export const transitions = {
  proposed: { approve: "scheduled", reschedule: "proposed", cancel: "canceled" },
  scheduled: {
    start: "preparing",
    miss: "missed",
    voidApproval: "proposed",
    unapprove: "proposed",
    reschedule: "scheduled",
    rescheduleWithoutApproval: "proposed",
    cancel: "canceled",
  },
  // Nothing is public yet.
  preparing: {
    commit: "committing",
    retry: "scheduled",
    fail: "failed",
    voidApproval: "proposed",
    // An earlier commit of a publication that a user published again may still become public.
    leaveUnconfirmed: "unconfirmed",
  },
  // The post may be public from here on.
  committing: {
    publish: "published",
    fail: "failed",
    retry: "scheduled",
    // Instead of a retry, while a review holds the post.
    voidApproval: "proposed",
    leaveUnconfirmed: "unconfirmed",
  },
  unconfirmed: { confirm: "published", publishAgain: "scheduled" },
  missed: { reschedule: "scheduled", rescheduleWithoutApproval: "proposed", cancel: "canceled" },
  published: {},
  failed: {},
  canceled: {},
} as const satisfies Record<PublicationState, Record<string, PublicationState>>;

/** A post has at most one publication per account in these states. */
export const openStates = [
  "proposed",
  "scheduled",
  "preparing",
  "committing",
  "unconfirmed",
] as const satisfies PublicationState[];

/** The states whose publications an edit of the post can affect. */
export const revisableStates = [...openStates, "missed"] as const satisfies PublicationState[];

/** Whether a publication in this state keeps its post from being archived or deleted. */
export const needsPost = ({ state }: { state: PublicationState }): boolean => statesThatNeedPost.includes(state);

const statesThatNeedPost: readonly PublicationState[] = ["scheduled", "preparing", "committing", "unconfirmed"];

type Transitions = typeof transitions;
export type PublicationEvent = { [State in PublicationState]: keyof Transitions[State] }[PublicationState];

/** The states in which the event can happen. */
export function statesBefore(event: PublicationEvent): PublicationState[] {
  return publicationStates.filter((state) => event in transitions[state]);
}

/** The state after the event; throws if the event can't happen in this state. */
export function nextState(state: PublicationState, event: PublicationEvent): PublicationState {
  const next = (transitions[state] as Partial<Record<PublicationEvent, PublicationState>>)[event];
  if (next === undefined) throw new Error(`a publication in the state ${state} can't ${event}`);
  return next;
}

export const toVisibleState = (state: PublicationState): VisibleState =>
  state === "preparing" || state === "committing" ? "publishing" : state;

/** The problem of a publication that was canceled because its approver asked for changes. */
export const sentBackCode = "sent_back";
