import { Link } from "@tanstack/react-router";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatActor } from "../ui/format-actor.ts";
import { ListRow, RowActions } from "../ui/List.tsx";
import { describeTime } from "./describe-time.ts";
import { PublicationActions } from "./PublicationActions.tsx";
import { StateBadge } from "./StateBadge.tsx";
import { describeState } from "./state-labels.ts";
import { usePlatformNames } from "./use-platform-names.ts";

/** One publication: account, state, time, who requested it, and its problem. */
export function PublicationRow({
  publication,
  postTitle,
}: {
  publication: Publication;
  /** In lists with publications of several posts. */
  postTitle?: string | undefined;
}) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const { id, account, platform, state, problem, requestedBy, requestedThrough } = publication;
  const requester = formatActor(requestedBy, requestedThrough === null ? null : { name: requestedThrough });
  return (
    <ListRow>
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className="m-0 flex flex-wrap items-baseline gap-x-2.5 gap-y-1">
          <Link
            className="font-serif text-xl text-ink no-underline hover:text-accent"
            to="/studios/$studioId/publications/$publicationId"
            params={{ studioId: studio.id, publicationId: id }}
          >
            {postTitle ?? account}
          </Link>
          <StateBadge state={state} />
        </p>
        <p className="mt-1 text-muted">
          {postTitle !== undefined && <>{account}, </>}
          {getPlatformName(platform)}
          {" · "}
          {describeTime(publication, studio.timezone)}
          {" · "}
          requested by {requester}
        </p>
        {problem && <p className="mt-1 text-sm text-danger">{problem.message}</p>}
        {state === "failed" && <p className="mt-1 text-sm">Fix the problem, then publish the post again.</p>}
        {state === "missed" && <p className="mt-1 text-sm">{describeState(publication)}</p>}
      </div>
      <RowActions>
        <PublicationActions publication={publication} />
      </RowActions>
    </ListRow>
  );
}
