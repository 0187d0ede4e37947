import { useQuery } from "@tanstack/react-query";
import type { PublicationDetail } from "../api/publication-queries.ts";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConnect } from "../platforms/use-connect.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Notice } from "../ui/Notice.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { PublicationActions } from "./PublicationActions.tsx";
import { describeFailure, failureNextSteps } from "./publication-states.ts";

/** What happened to a failed or missed publication and what to do next. The likeliest action comes first. */
export function PublicationProblem({ publication }: { publication: PublicationDetail }) {
  const { studio, may } = useStudio();
  const { connect, isRunning, error } = useConnect();
  const { connectionId, postId, postTitle, state, account, isSuperseded } = publication;
  const { data } = useQuery(platformsQuery(studio.id));
  const connection = data?.connections.find(({ id }) => id === connectionId);
  const cause = findCause(publication, connection === undefined || connection.state === "connected");
  const mustReconnect = cause === "connection";
  const canReconnect = mustReconnect && may("platforms.connect");
  const mustFixPost = cause === "post";
  const mustCheckAccount = cause === "account";

  const postLink = state === "failed" && postTitle !== null && (
    <ButtonLink
      variant={mustFixPost ? "primary" : "quiet"}
      to="/studios/$studioId/posts/$postId"
      params={{ studioId: studio.id, postId }}
    >
      Open post
    </ButtonLink>
  );
  return (
    <>
      <Notice
        tone={isSuperseded ? "info" : "danger"}
        action={
          <span className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full">
            {canReconnect && connection && (
              <Button
                busyLabel={isRunning && "Opening…"}
                aria-label={`Reconnect ${account}`}
                onClick={() => void connect(connection.platform, connection.instanceUrl ?? undefined)}
              >
                Reconnect
              </Button>
            )}
            {mustFixPost && postLink}
            {mustCheckAccount && (
              <ButtonLink to="/studios/$studioId/platforms" params={{ studioId: studio.id }}>
                Go to Platforms
              </ButtonLink>
            )}
            <PublicationActions
              publication={publication}
              isSuperseded={isSuperseded}
              isProminent={!mustReconnect && !mustFixPost && !mustCheckAccount}
              mustReconnect={mustReconnect}
              canPublishAgain={state === "failed" && cause !== "deleted" && !isSuperseded && !mustReconnect}
            />
            {!mustFixPost && postLink}
          </span>
        }
      >
        {describeFailure(publication)}{" "}
        {describeNextStep(publication, cause, canReconnect, mayPublishWithoutApproval(studio))}
      </Notice>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  );
}

/** What has to be solved first: that the post is in the trash, the state of the connection, the post, the account on the platform, or something else. */
type Cause = "superseded" | "deleted" | "connection" | "post" | "account" | "temporary" | "other";

const causesByCode = new Map<string | undefined, Cause>([
  ["not_publishable", "post"],
  ["duplicate", "post"],
  ["media_rejected", "post"],
  ["blocked", "account"],
  ["not_found", "account"],
  // The account was connected again meanwhile.
  ["connect_expired", "temporary"],
  ["expired", "temporary"],
  ["platform_unavailable", "temporary"],
  ["forbidden", "temporary"],
]);

function findCause({ problem, isSuperseded, postTitle }: PublicationDetail, isConnected: boolean): Cause {
  if (isSuperseded) return "superseded";
  if (postTitle === null) return "deleted";
  return isConnected ? (causesByCode.get(problem?.code) ?? "other") : "connection";
}

function describeNextStep(
  { state, account }: PublicationDetail,
  cause: Cause,
  canReconnect: boolean,
  isPublisher: boolean,
): string {
  const repeat = isPublisher ? "publish it again" : "ask to publish it again";
  if (cause === "superseded") return failureNextSteps.superseded;
  if (cause === "deleted") return `The post is in the trash. Restore it, then ${repeat}.`;
  if (cause === "connection")
    return `${canReconnect ? "Reconnect" : "Ask an owner or admin to reconnect"} ${account}, then ${state === "missed" ? "choose a new time" : repeat}.`;
  if (state === "missed") return failureNextSteps.missed;
  if (cause === "temporary") return `${isPublisher ? "Publish" : "Ask to publish"} it again.`;
  const firstSteps = { post: "Change the post", account: "Check the account", other: "Fix the cause" };
  return `${firstSteps[cause]}, then ${repeat}.`;
}
