import { Link } from "@tanstack/react-router";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { describeTime } from "./describe-time.ts";
import { PublicationActions } from "./PublicationActions.tsx";
import { PublicationReason } from "./PublicationReason.tsx";
import { PublishingRow, rowNameClasses } from "./PublishingRow.tsx";
import { StateBadge } from "./StateBadge.tsx";
import { usePlatformNames } from "./use-platform-names.ts";

/** A publication on the page of its post. */
export function PostPublication({
  publication,
  fileChoice,
  isSuperseded,
  canPublishAgain,
  onPublishAgain,
}: {
  publication: Publication;
  /** Which of the post's files will be sent, such as "4 of 10 files"; undefined if all of them, or if it has started. */
  fileChoice: string | undefined;
  isSuperseded: boolean;
  canPublishAgain: boolean;
  onPublishAgain: () => void;
}) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const { id, account, platform } = publication;
  return (
    <PublishingRow
      name={
        <Link
          className={rowNameClasses}
          to="/studios/$studioId/publications/$publicationId"
          params={{ studioId: studio.id, publicationId: id }}
        >
          {account}
        </Link>
      }
      badge={<StateBadge publication={publication} />}
      details={[
        getPlatformName(platform),
        ...(fileChoice === undefined ? [] : [fileChoice]),
        describeTime(publication, studio.timezone),
      ]}
    >
      <PublicationReason publication={publication} isSuperseded={isSuperseded} className="m-0" />
      {/* On a phone, three buttons fit on one line. */}
      <div className="flex flex-wrap items-center gap-2 empty:hidden pointer-coarse:*:px-2.5">
        <PublicationActions
          publication={publication}
          isSuperseded={isSuperseded}
          hasShortLabels
          size="small"
          canPublishAgain={canPublishAgain}
          onPublishAgain={onPublishAgain}
        />
      </div>
    </PublishingRow>
  );
}
