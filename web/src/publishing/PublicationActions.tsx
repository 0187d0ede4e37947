import { useState } from "react";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { RescheduleDialog } from "./RescheduleDialog.tsx";
import { changeableStates } from "./state-labels.ts";
import { useCancelPublication } from "./use-cancel-publication.tsx";
import { usePlatformNames } from "./use-platform-names.ts";

/** What a user can do with a publication in a list. */
export function PublicationActions({
  publication,
  showsReview = true,
}: {
  publication: Publication;
  /** Links to the page on which proposals are approved and unconfirmed publications resolved. */
  showsReview?: boolean;
}) {
  const { studio, may } = useStudio();
  const cancel = useCancelPublication();
  const [isRescheduling, setIsRescheduling] = useState(false);
  const { id, state, account, platform, url } = publication;
  const platformName = usePlatformNames()(platform);
  const needsPerson = state === "proposed" || state === "unconfirmed";
  const reviewLabel = state === "proposed" ? "Review" : "Resolve";

  return (
    <>
      {showsReview && needsPerson && may("publications.approve") && (
        <ButtonLink
          variant="primarySmall"
          to="/studios/$studioId/publications/$publicationId"
          params={{ studioId: studio.id, publicationId: id }}
          aria-label={`${reviewLabel} ${account}`}
        >
          {reviewLabel}
        </ButtonLink>
      )}
      {changeableStates.includes(state) && may("publications.request") && (
        <>
          <Button variant="quiet" aria-label={`Reschedule ${account}`} onClick={() => setIsRescheduling(true)}>
            Reschedule
          </Button>
          <Button variant="quiet" aria-label={`Cancel publication to ${account}`} onClick={() => cancel(publication)}>
            Cancel publication
          </Button>
        </>
      )}
      {url !== null && (
        <a href={url} target="_blank" rel="noreferrer" aria-label={`View on ${platformName}: ${account}`}>
          View on {platformName}
        </a>
      )}
      {isRescheduling && <RescheduleDialog publication={publication} onClose={() => setIsRescheduling(false)} />}
    </>
  );
}
