import { Link } from "@tanstack/react-router";
import type { ListedPublication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { DotSeparated } from "../ui/DotSeparated.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { formatTime } from "../ui/format-time.ts";
import { ListRow, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { describeTime } from "./describe-time.ts";
import { getPostTitle } from "./publication-states.ts";
import { PublicationActions } from "./PublicationActions.tsx";
import { PublicationReason } from "./PublicationReason.tsx";
import { StateBadge } from "./StateBadge.tsx";
import { usePlatformNames } from "./use-platform-names.ts";

/** One publication: account, state, time, who requested it, and the problem if it has one. */
export function PublicationRow({ publication }: { publication: ListedPublication }) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const { id, account, platform, state, requestedBy, requestedThrough, isSuperseded, postTitle } = publication;
  const title = getPostTitle(publication);
  const requester = formatActor(requestedBy, requestedThrough === null ? null : { name: requestedThrough });
  return (
    // Beside three buttons for fingers, a tablet has too little room for the text. All rows have the same layout.
    <ListRow className="sm:max-xl:pointer-coarse:grid-cols-1">
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="m-0 flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
          <Link
            className="font-medium text-ink no-underline hover:text-accent"
            to="/studios/$studioId/publications/$publicationId"
            params={{ studioId: studio.id, publicationId: id }}
          >
            {title}
          </Link>
          <StateBadge publication={publication} />
        </p>
        <p className="mt-1 text-muted">
          <DotSeparated
            parts={[
              account,
              getPlatformName(platform),
              describeTime(publication, studio.timezone, formatTime),
              <>
                {wasScheduledDirectly(publication) ? "scheduled" : "requested"}{" "}
                <RelativeTime at={publication.createdAt} timezone={studio.timezone} /> by {requester}
              </>,
            ]}
          />
        </p>
        <PublicationReason publication={publication} isSuperseded={isSuperseded} className="mt-1" />
      </div>
      <RowActions areSmallOnPhones>
        <PublicationActions publication={publication} isSuperseded={isSuperseded} hasShortLabels />
        {state === "failed" && postTitle !== null && (
          <ButtonLink
            variant="quiet"
            to="/studios/$studioId/posts/$postId"
            params={{ studioId: studio.id, postId: publication.postId }}
            aria-label={`Open post ${title}`}
          >
            Open post
          </ButtonLink>
        )}
      </RowActions>
    </ListRow>
  );
}

/** Whether the requester scheduled it without an approval. False if canceled: it may have waited for an approval. */
const wasScheduledDirectly = ({ state, scheduledFor, approvedBy }: ListedPublication): boolean =>
  scheduledFor !== null && approvedBy === null && state !== "proposed" && state !== "canceled";
