import { isOwnRequest } from "../publishing/is-own-request.ts";
import { isOwnSentBack, listSentBack } from "../publishing/sent-back.ts";

/** What the user most likely does next with a post. */
export type NextAction =
  | { kind: "restore" | "markReady" | "connect" }
  | { kind: "publish"; label: string }
  /** An approver asked for changes. */
  | { kind: "askAgain"; label: string; connectionIds: readonly string[] }
  /** `publicationId` is undefined if there are several, which the Approvals page lists for this post. */
  | { kind: "review"; label: string; publicationId: string | undefined };

/** The only choice of users who may not publish without approval; others can ask, too. */
export const askLabel = "Ask for approval…";
export const askAgainLabel = "Ask again…";
export const resolveLabel = "Resolve…";

type PolicyAction = "posts.write" | "publications.approve" | "publications.request" | "platforms.connect";

interface PostState {
  status: "draft" | "ready" | "archived";
  /** Newest first. */
  publications?:
    | readonly {
        id: string;
        connectionId: string;
        state: string;
        problem: { code: string } | null;
        requestedBy: { id: string } | null;
        requestedThrough: string | null;
        hasLostApproval?: true | undefined;
      }[]
    | undefined;
}

interface AccountState {
  connectionId: string;
  /** Whether the post can be published there now. */
  canPublish: boolean;
}

/** A draft with a publication in one of these states no longer has to be marked ready. */
const underWayStates = ["proposed", "scheduled", "publishing", "published"];

export function getNextAction(
  post: PostState,
  /** Undefined while they load. */
  accounts: readonly AccountState[] | undefined,
  /** `isPublisher`: whether the user can publish without another person's approval. */
  { userId, isPublisher, may }: { userId: string; isPublisher: boolean; may: (action: PolicyAction) => boolean },
): NextAction | undefined {
  const { status, publications = [] } = post;
  if (status === "archived") return may("posts.write") ? { kind: "restore" } : undefined;
  if (may("publications.approve")) {
    const unconfirmed = publications.find(({ state }) => state === "unconfirmed");
    if (unconfirmed) return { kind: "review", label: resolveLabel, publicationId: unconfirmed.id };
    const [proposal, ...otherProposals] = publications.filter(
      // Users who ask for approval want another person to look at the post.
      (publication) => publication.state === "proposed" && !isOwnRequest(publication, userId),
    );
    if (proposal && isPublisher)
      return {
        kind: "review",
        label: "Approve…",
        publicationId: otherProposals.length === 0 ? proposal.id : undefined,
      };
  }
  const sentBackIds = listSentBack(publications)
    .filter((publication) => isOwnSentBack(publication, userId))
    .map(({ connectionId }) => connectionId)
    .filter((id) => accounts?.some((account) => account.connectionId === id && account.canPublish));
  if (sentBackIds.length > 0 && may("publications.request"))
    return { kind: "askAgain", label: askAgainLabel, connectionIds: sentBackIds };
  const isUnderWay = publications.some(({ state }) => underWayStates.includes(state));
  if (status === "draft" && !isUnderWay) return may("posts.write") ? { kind: "markReady" } : undefined;
  if (!accounts || !may("publications.request")) return undefined;
  if (accounts.length === 0) return may("platforms.connect") ? { kind: "connect" } : undefined;
  const isPublished = ({ connectionId }: AccountState) =>
    publications.some((publication) => publication.connectionId === connectionId && publication.state === "published");
  const canPublish = accounts.some((account) => account.canPublish && !isPublished(account));
  return canPublish ? { kind: "publish", label: isPublisher ? "Publish…" : askLabel } : undefined;
}
