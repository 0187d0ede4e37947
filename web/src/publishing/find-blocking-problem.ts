import type { Publication } from "../api/publication-queries.ts";
import type { Post } from "../api/queries.ts";
import { formatTime } from "../ui/format-time.ts";
import type { AccountProblem } from "./ProblemList.tsx";

type OpenPublication = Pick<Publication, "connectionId" | "state" | "account" | "scheduledFor">;

/** Publications in these states have not started, so that a change of the post can still fix them. */
export const isWaiting = ({ state }: Pick<Publication, "state">): boolean =>
  state === "proposed" || state === "scheduled";

/** Why the account's platform would reject the post as it is; undefined if it would not. */
export const findBlockingProblem = (
  post: Pick<Post, "validation"> | undefined,
  publication: Pick<Publication, "connectionId" | "state">,
): AccountProblem | undefined =>
  isWaiting(publication)
    ? post?.validation
        ?.find(({ connectionId }) => connectionId === publication.connectionId)
        ?.problems.find(({ level }) => level === "rejected")
    : undefined;

/** Says that the publication will fail, why, and until when the post can be fixed. */
export function describeBlockedPublication(
  { account, state, scheduledFor }: OpenPublication,
  { message }: AccountProblem,
  timezone: string,
): string {
  const isInFuture = scheduledFor !== null && Date.parse(scheduledFor) > Date.now();
  const deadline = isInFuture ? formatTime(scheduledFor, timezone) : "it’s approved";
  const nextStep = isInFuture || state === "proposed" ? ` Fix it before ${deadline}.` : "";
  return `Won’t be published to ${account} as it is: ${message}${nextStep}`;
}
