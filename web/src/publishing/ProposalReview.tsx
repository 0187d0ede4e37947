import { useQuery } from "@tanstack/react-query";
import { CircleCheck } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { inBatch } from "../api/change.ts";
import { publicationQuery, type Publication, type PublicationDetail } from "../api/publication-queries.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";
import { RevisionDiff } from "../history/RevisionDiff.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { formatTime } from "../ui/format-time.ts";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { useAction } from "../ui/use-action.ts";
import { toSnapshot } from "./account-snapshot.ts";
import type { ReviewedProposal } from "./AskForChangesDialog.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { OpenThreads } from "./OpenThreads.tsx";
import { ProposalChanges } from "./ProposalChanges.tsx";
import { ProposalContent, type PreviousProposal } from "./ProposalContent.tsx";
import { PublicationActions } from "./PublicationActions.tsx";
import { sentBackLabel, stateLabels } from "./publication-states.ts";
import { wasSentBack } from "./sent-back.ts";
import { startsAtOnce, useApprove } from "./use-approve.ts";
import { usePersonOptions } from "./use-person-options.tsx";
import { useCurrentPost } from "./use-current-post.ts";

/** On a phone, the first button has a line for itself, and so has the last one if it would be alone in its line. */
const approverClasses =
  "sticky bottom-0 z-5 border-t border-rule bg-paper py-3 max-sm:[&>button:last-of-type:nth-of-type(even)]:col-span-2";

/** Asking for changes adds a comment to the post and cancels the publication, so it needs all of these permissions. */
const askForChangesPermissions = ["publications.approve", "publications.request", "posts.write"] as const;

/**
 * Shows what a proposal will send, and lets the user approve it. The approval is for the revision on the screen. Then
 * only the buttons change, to a text in the same place, so that nothing else comes under the pointer.
 */
export function ProposalReview({
  publication,
  previousProposals = [],
  isCompact = false,
  onShow,
  onAskForChanges,
}: {
  publication: Publication;
  /** The proposals above this one, whose content is not repeated if it is the same. */
  previousProposals?: readonly PreviousProposal[];
  /** Whether images are thumbnails that a click enlarges. */
  isCompact?: boolean;
  /** Called when the content of another revision is shown. */
  onShow?: (revision: number) => void;
  onAskForChanges: (proposal: ReviewedProposal) => void;
}) {
  const { studio, may } = useStudio();
  const approveProposal = useApprove();
  const { isRunning, error, run } = useAction();
  const decision = useRef<HTMLParagraphElement>(null);
  const hasApproved = useRef(false);
  const { id, postId, account, scheduledFor } = publication;
  const { query, post: currentPost } = useCurrentPost(postId);
  const detail = useQuery(publicationQuery(studio.id, id));
  const [proposal, setProposal] = useState<PublicationDetail>();
  if (detail.data && detail.data !== proposal && (!proposal || detail.data.state === "proposed"))
    setProposal(detail.data);
  const isDecided = detail.data !== undefined && detail.data.state !== "proposed";
  // The button that had the focus is gone.
  useEffect(() => {
    if (isDecided && hasApproved.current) decision.current?.focus({ preventScroll: true });
    hasApproved.current = false;
  }, [isDecided]);
  const [shownPost, setShownPost] = useShownPost(currentPost, onShow);

  const approve = (post: Post) =>
    run(() =>
      inBatch(async () => {
        try {
          await approveProposal(publication, post);
          hasApproved.current = true;
        } catch (failure) {
          if (!(failure instanceof ApiError) || failure.code !== "revision_conflict") throw failure;
          // If the post changed, the notice below says so. If only the time changed, show the error.
          const latestPost = await queryClient.query({ ...postQuery(studio.id, postId), staleTime: 0 });
          if (latestPost.revision === post.revision) throw failure;
        }
      }),
    );

  const approveLabel = getApproveLabel(scheduledFor, studio.timezone);
  const { askAndApprove, optionsDialog } = usePersonOptions(publication, approveLabel, (post) => {
    setShownPost(post);
    return approve(post);
  });

  if (!shownPost || !currentPost) return <QueryStatus query={query} />;
  if (!detail.data || !proposal) return <QueryStatus query={detail} />;
  const hasChanged = currentPost.revision !== shownPost.revision;
  const canApprove = may("publications.approve") && mayPublishWithoutApproval(studio);
  return (
    <div>
      {hasChanged && (
        <div className="mb-5 rounded-lg border border-l-3 border-rule border-l-danger bg-raised p-4" role="alert">
          <p className="m-0 mb-3 font-semibold">The post changed while you were reviewing it. Check the change.</p>
          <RevisionDiff
            before={toSnapshot(shownPost, proposal)}
            after={toSnapshot(currentPost, proposal)}
            currentAssets={currentPost.assets}
          />
          <p>
            <Button variant="quiet" onClick={() => setShownPost(currentPost)}>
              Show the new version
            </Button>
          </p>
        </div>
      )}
      <ProposalChanges publication={proposal} post={shownPost} />
      <ProposalContent
        publication={proposal}
        previousProposals={previousProposals}
        post={shownPost}
        currentAssets={currentPost.assets}
        isCompact={isCompact}
      />
      <OpenThreads postId={postId} />
      {!canApprove && <p className="text-muted">An owner or admin needs to approve this.</p>}
      <div
        // Four buttons fit on one line of a tablet, where they have smaller text. They stay in view while the user
        // scrolls through large images.
        {...(canApprove && { "data-sticky-actions": true })}
        className={`mt-5 flex flex-wrap items-center gap-2 empty:hidden max-sm:grid max-sm:grid-cols-2 max-sm:items-stretch max-sm:[&>button]:min-h-11 max-sm:[&>button]:px-2 max-sm:[&>button]:leading-tight max-sm:[&>button]:whitespace-normal sm:[&>button]:px-2.5 sm:max-xl:pointer-coarse:[&>button]:text-sm ${canApprove ? approverClasses : "relative"} ${isDecided ? "invisible" : ""}`}
      >
        {isDecided && (
          <p
            ref={decision}
            tabIndex={-1}
            className="visible absolute inset-0 m-0 flex items-center gap-2 border-t border-rule bg-paper font-medium text-muted outline-none"
          >
            <CircleCheck size={18} className="flex-none" aria-hidden="true" />
            <span>{describeDecision(detail.data)}</span>
          </p>
        )}
        {error !== undefined && (
          <div className="w-full max-sm:col-span-2">
            <ErrorMessage error={error} />
          </div>
        )}
        {canApprove && (
          <Button
            variant="primary"
            className="max-sm:col-span-2"
            disabled={hasChanged}
            busyLabel={isRunning && "Approving…"}
            aria-label={`${approveLabel}, ${account}`}
            onClick={() => askAndApprove(shownPost)}
          >
            {approveLabel}
          </Button>
        )}
        {canApprove && askForChangesPermissions.every(may) && (
          <Button
            variant="secondary"
            disabled={isRunning}
            aria-label={`Ask for changes… ${account}`}
            onClick={() => onAskForChanges({ publication, postTitle: currentPost.title })}
          >
            Ask for changes…
          </Button>
        )}
        <PublicationActions publication={publication} isSuperseded={false} hasReviewLink={false} />
      </div>
      {optionsDialog}
    </div>
  );
}

/** The version of the post that the user reviews: the first one, until the user chooses another. */
function useShownPost(currentPost: Post | undefined, onShow: ((revision: number) => void) | undefined) {
  const [shownPost, setShownPost] = useState<Post>();
  if (currentPost && !shownPost) setShownPost(currentPost);
  const handleShow = useEffectEvent((revision: number) => onShow?.(revision));
  const shownRevision = shownPost?.revision;
  useEffect(() => {
    if (shownRevision !== undefined) handleShow(shownRevision);
  }, [shownRevision]);
  return [shownPost, setShownPost] as const;
}

const describeDecision = (publication: PublicationDetail): string => {
  if (publication.state === "scheduled") return "Approved";
  return wasSentBack(publication) ? sentBackLabel : stateLabels[publication.state];
};

/** Returns a label that says what the approval does. */
const getApproveLabel = (scheduledFor: string | null, timezone: string): string =>
  scheduledFor === null || startsAtOnce(scheduledFor)
    ? "Approve and publish"
    : `Approve for ${formatTime(scheduledFor, timezone)}`;
