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
const transitions = {
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
    // The first of several parts is public.
    publishPart: "preparing",
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

/**
 * The state machine once a part is public, which never fails, waits for an approval or is canceled: if a later part fails,
 * the publication is published, with a problem. Retries keep the account's other publications waiting.
 */
const transitionsAfterFirstPart: Readonly<Record<PublicationState, Transition>> = {
  scheduled: { start: "preparing" },
  preparing: { commit: "committing", retry: "preparing", fail: "published" },
  committing: {
    publish: "published",
    publishPart: "preparing",
    fail: "published",
    retry: "preparing",
    leaveUnconfirmed: "unconfirmed",
  },
  unconfirmed: { confirm: "published", publishAgain: "scheduled" },
  published: { continue: "scheduled" },
  proposed: {},
  failed: {},
  missed: {},
  canceled: {},
};

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
export type PublicationEvent = { [State in PublicationState]: keyof Transitions[State] }[PublicationState] | "continue";
type Transition = Partial<Record<PublicationEvent, PublicationState>>;

interface StateWithParts {
  state: PublicationState;
  publicParts: number;
}

const getTransitions = ({ state, publicParts }: StateWithParts): Transition =>
  publicParts === 0 ? transitions[state] : transitionsAfterFirstPart[state];

export const canHappen = (event: PublicationEvent, publication: StateWithParts): boolean =>
  event in getTransitions(publication);

/** The state after the event; throws if the event can't happen in this state. */
export function nextState(publication: StateWithParts, event: PublicationEvent): PublicationState {
  const next = getTransitions(publication)[event];
  if (next === undefined) throw new Error(`a publication in the state ${publication.state} can't ${event}`);
  return next;
}

export const toVisibleState = (state: PublicationState): VisibleState =>
  state === "preparing" || state === "committing" ? "publishing" : state;

/** The problem of a publication that was canceled because its approver asked for changes. */
export const sentBackCode = "sent_back";
