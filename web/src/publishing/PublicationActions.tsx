import { lazy, Suspense, useState } from "react";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { askAgainLabel, askLabel, resolveLabel } from "../posts/next-action.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import type { ButtonSize } from "../ui/button-classes.ts";
import { isOwnRequest } from "./is-own-request.ts";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { RescheduleDialog } from "./RescheduleDialog.tsx";
import { canReschedule, changeableStates, isProposedWithoutTime, repeatableStates } from "./publication-states.ts";
import { useCancelPublication } from "./use-cancel-publication.tsx";
import { usePlatformNames } from "./use-platform-names.ts";
import { isOwnSentBack } from "./sent-back.ts";

/** Loaded on demand, because most publications don't fail. */
const SchedulePostDialog = lazy(async () => ({
  default: (await import("./SchedulePostDialog.tsx")).SchedulePostDialog,
}));

/** The actions for a publication. */
export function PublicationActions({
  publication,
  isSuperseded,
  hasReviewLink = true,
  isProminent = false,
  hasShortLabels,
  size,
  mustReconnect,
  canPublishAgain = !isSuperseded && publication.postTitle !== null && repeatableStates.includes(publication.state),
  onPublishAgain,
}: {
  publication: Publication;
  /** Whether the post has a newer publication to the same account, so that the post could be published twice. */
  isSuperseded: boolean;
  /** Whether to link to the page on which proposals are approved and unconfirmed publications are resolved. */
  hasReviewLink?: boolean;
  /** Whether to emphasize the button that publishes: now, or at another time. */
  isProminent?: boolean;
  /** In a row, where all actions should fit on one line. */
  hasShortLabels?: boolean;
  size?: ButtonSize;
  /** Whether the account must be reconnected first. */
  mustReconnect?: boolean;
  canPublishAgain?: boolean;
  /** By default, opens a dialog. */
  onPublishAgain?: () => void;
}) {
  const { studio, me, may } = useStudio();
  const [openDialog, setOpenDialog] = useState<"publish" | "reschedule">();
  const closeDialog = (): void => setOpenDialog(undefined);
  const { id, postId, connectionId, state, account, platform, url } = publication;
  const platformName = usePlatformNames()(platform);
  const needsPerson = state === "proposed" || state === "unconfirmed";
  const isPublisher = mayPublishWithoutApproval(studio);
  const canReview = state === "unconfirmed" || (isPublisher && !isOwnRequest(publication, me.user.id));
  const [reviewLabel, reviewAction] = getReviewLabels(state, canReview);
  const [timeLabel, timeAction] = getTimeLabels(publication);
  const publishVariant = isProminent ? "primary" : "quiet";
  const asksAgain = isOwnSentBack(publication, me.user.id);
  const [publishLabel, publishAction] = asksAgain ? askAgainLabels : getPublishLabels(state, isPublisher);

  return (
    <>
      {hasReviewLink && needsPerson && may("publications.approve") && (
        <ButtonLink
          variant={canReview ? "secondary" : "quiet"}
          size={size}
          to="/studios/$studioId/publications/$publicationId"
          params={{ studioId: studio.id, publicationId: id }}
          aria-label={`${reviewAction} ${account}`}
        >
          {reviewLabel}
        </ButtonLink>
      )}
      {changeableStates.includes(state) && may("publications.request") && (
        <>
          {canReschedule(state, isSuperseded, mustReconnect) && (
            <Button
              variant={publishVariant}
              size={size}
              aria-label={`${timeAction} ${account}`}
              onClick={() => setOpenDialog("reschedule")}
            >
              {timeLabel}
            </Button>
          )}
          <CancelButton publication={publication} hasShortLabel={hasShortLabels} size={size} />
        </>
      )}
      {canPublishAgain && may("publications.request") && (
        <Button
          variant={publishVariant}
          size={size}
          aria-label={`${publishAction} to ${account}`}
          onClick={onPublishAgain ?? (() => setOpenDialog("publish"))}
        >
          {publishLabel}
        </Button>
      )}
      {url !== null && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          // Without the padding that rows set for their buttons.
          className="px-0!"
          aria-label={`View on ${platformName}: ${account}`}
        >
          View on {platformName}
        </a>
      )}
      {openDialog && (
        // Without this element, the padding that rows set for their buttons would apply to the dialog, and a dialog that
        // is open when another person decides would be hidden with the buttons.
        <div className="visible contents">
          {openDialog === "reschedule" ? (
            <RescheduleDialog publication={publication} onClose={closeDialog} />
          ) : (
            <Suspense>
              <SchedulePostDialog
                postId={postId}
                // A request that was sent back is edited before it is sent again, and then someone reviews it.
                {...(!asksAgain && { revision: publication.revision })}
                isScheduling={false}
                asksForApproval={asksAgain}
                initialIds={[connectionId]}
                onClose={closeDialog}
              />
            </Suspense>
          )}
        </div>
      )}
    </>
  );
}

/** The label of the button, and what its accessible name says before the account. */
type ActionLabels = readonly [label: string, action: string];

function getReviewLabels(state: Publication["state"], canReview: boolean): ActionLabels {
  if (state !== "proposed") return [resolveLabel, "Resolve"];
  return canReview ? ["Review", "Review"] : ["View", "View"];
}

const getTimeLabels = (publication: Publication): ActionLabels =>
  isProposedWithoutTime(publication) ? ["Set a time…", "Set a time for"] : ["Reschedule…", "Reschedule"];

const askAgainLabels: ActionLabels = [askAgainLabel, "Ask again for approval to publish"];

function getPublishLabels(state: Publication["state"], isPublisher: boolean): ActionLabels {
  // A canceled publication never started.
  if (state === "canceled") return isPublisher ? ["Publish…", "Publish"] : [askLabel, "Ask for approval to publish"];
  return isPublisher ? ["Publish again…", "Publish again"] : ["Ask to publish again…", "Ask to publish again"];
}

/** Cancels the publication; users withdraw their own requests. */
function CancelButton({
  publication,
  hasShortLabel,
  size,
}: {
  publication: Publication;
  hasShortLabel: boolean | undefined;
  size: ButtonSize | undefined;
}) {
  const { me } = useStudio();
  const { account, state } = publication;
  const isOwnProposal = state === "proposed" && isOwnRequest(publication, me.user.id);
  const cancel = useCancelPublication({ isOwnRequest: isOwnProposal });
  const [verb, object] = isOwnProposal ? ["Withdraw", "request"] : ["Cancel", "publication"];
  return (
    <Button
      variant="quiet"
      size={size}
      aria-label={`${verb} ${object} ${isOwnProposal ? "for" : "to"} ${account}`}
      onClick={() => cancel(publication)}
    >
      {/* "Cancel" alone would read like closing a dialog. */}
      {hasShortLabel === true && isOwnProposal ? verb : `${verb} ${object}`}
    </Button>
  );
}
