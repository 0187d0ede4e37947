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

/** Codes of the problems that the account has; none of them is about the post. */
const accountCodes: readonly string[] = ["blocked", "connect_expired", "not_found"];
/** Codes of the problems that a later attempt may not have, although neither the post nor the account changes. */
const temporaryCodes: readonly string[] = ["platform_unavailable", "forbidden"];

/** What happened to a failed or missed publication and what to do next. The likeliest action comes first. */
export function PublicationProblem({ publication }: { publication: PublicationDetail }) {
  const { studio, may } = useStudio();
  const { connect, isRunning, error } = useConnect();
  const { connectionId, postId, state, account, problem, isSuperseded } = publication;
  const { data } = useQuery({ ...platformsQuery(studio.id), refetchInterval: false });
  const connection = data?.connections.find(({ id }) => id === connectionId);
  const mustReconnect = !isSuperseded && connection !== undefined && connection.state !== "connected";
  const canReconnect = mustReconnect && may("platforms.connect");
  const mustFixPost = !isSuperseded && !mustReconnect && problem?.code === "not_publishable";
  const mustCheckAccount =
    state === "failed" && !isSuperseded && !mustReconnect && accountCodes.includes(problem?.code ?? "");

  function describeNextStep(): string {
    const isPublisher = mayPublishWithoutApproval(studio);
    const repeat = isPublisher ? "publish it again" : "ask to publish it again";
    const lastStep = state === "missed" ? "choose a new time" : repeat;
    if (isSuperseded) return failureNextSteps.superseded;
    if (canReconnect) return `Reconnect ${account}, then ${lastStep}.`;
    if (mustReconnect) return `Ask an owner or admin to reconnect ${account}, then ${lastStep}.`;
    if (mustFixPost) return `Change the post, then ${repeat}.`;
    if (mustCheckAccount) return `Check the account, then ${repeat}.`;
    if (state === "missed") return failureNextSteps.missed;
    if (problem && temporaryCodes.includes(problem.code))
      return `${isPublisher ? "Publish" : "Ask to publish"} it again.`;
    return `Fix the cause, then ${repeat}.`;
  }

  const postLink = state === "failed" && (
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
          <span className="flex flex-wrap gap-2">
            {canReconnect && (
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
              canPublishAgain={state === "failed" && !isSuperseded && !mustReconnect}
            />
            {!mustFixPost && postLink}
          </span>
        }
      >
        {describeFailure(publication)} {describeNextStep()}
      </Notice>
      {error !== undefined && <ErrorMessage error={error} />}
    </>
  );
}
