import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, Send } from "lucide-react";
import { useEffect, useState } from "react";
import { isNotFound } from "../api/api-error.ts";
import { publicationQuery, type PublicationDetail } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { Notice } from "../ui/Notice.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { Section } from "../ui/Section.tsx";
import { useAskForChanges } from "./AskForChangesDialog.tsx";
import { ContinueThread } from "./ContinueThread.tsx";
import { describeTime } from "./describe-time.ts";
import { describeBlockedPublication } from "./find-blocking-problem.ts";
import { ProposalReview } from "./ProposalReview.tsx";
import { PublicationActions } from "./PublicationActions.tsx";
import { PublicationResults } from "./PublicationResults.tsx";
import { PublicationContent } from "./PublicationContent.tsx";
import { PublicationProblem } from "./PublicationProblem.tsx";
import { ResolveUnconfirmed } from "./ResolveUnconfirmed.tsx";
import { SentBackNote } from "./SentBackNote.tsx";
import { StateBadge } from "./StateBadge.tsx";
import { describeState, getPostTitle } from "./publication-states.ts";
import { Timeline } from "./Timeline.tsx";
import { undoSeconds } from "./use-approve.ts";
import { useBlockingProblem } from "./use-blocking-problem.ts";
import { usePlatformNames } from "./use-platform-names.ts";
import { wasSentBack } from "./sent-back.ts";

const route = getRouteApi("/studios/$studioId/publications/$publicationId");

export function PublicationPage() {
  const { studio } = useStudio();
  const { publicationId } = route.useParams();
  const publication = useQuery(publicationQuery(studio.id, publicationId));
  return (
    <>
      <p className="m-0 mb-6">
        <Link
          className="-my-2 inline-flex items-center gap-1.5 py-2 text-muted no-underline hover:text-accent"
          to="/studios/$studioId/publications"
          params={{ studioId: studio.id }}
        >
          <ArrowLeft size={16} aria-hidden="true" />
          Publications
        </Link>
      </p>
      {isNotFound(publication.error) ? (
        <EmptyState
          title="Publication not found"
          icon={Send}
          actions={
            <ButtonLink variant="secondary" to="/studios/$studioId/publications" params={{ studioId: studio.id }}>
              See all publications
            </ButtonLink>
          }
        >
          The post may have been deleted, or the publication may belong to another studio. Switch studios, or check the
          link.
        </EmptyState>
      ) : (
        <QueryStatus query={publication} />
      )}
      {publication.data && <PublicationDetails key={publicationId} publication={publication.data} />}
    </>
  );
}

function PublicationDetails({ publication }: { publication: PublicationDetail }) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const { askForChanges, changesDialog } = useAskForChanges();
  const { account, platform, state, scheduledFor, postId, postTitle, url, problem } = publication;
  const title = getPostTitle(publication);
  const hasProblem = state === "failed" || state === "missed";
  const isUnconfirmed = state === "unconfirmed";
  const isReview = useIsReview(state === "proposed") && !hasProblem && !isUnconfirmed;
  const blockingProblem = useBlockingProblem(publication);
  return (
    <>
      <PageHeader title={title}>
        <p className="m-0 flex flex-wrap items-baseline gap-x-2.5 gap-y-1 [overflow-wrap:anywhere]">
          <StateBadge publication={publication} />
          <span className="min-w-0">{formatAccount(account, getPlatformName(platform))}</span>
        </p>
        {!hasProblem && !isUnconfirmed && !blockingProblem && (
          <p className="mt-2">
            {wasSentBack(publication) ? <SentBackNote publication={publication} /> : describeState(state, scheduledFor)}
          </p>
        )}
      </PageHeader>
      {blockingProblem && (
        <Notice
          tone="warning"
          action={
            <ButtonLink
              variant="secondary"
              to="/studios/$studioId/posts/$postId"
              params={{ studioId: studio.id, postId }}
            >
              Open post
            </ButtonLink>
          }
        >
          {describeBlockedPublication(publication, blockingProblem, studio.timezone)}
        </Notice>
      )}
      {hasProblem && <PublicationProblem publication={publication} />}
      {state === "published" && problem?.code === "parts_missing" && <ContinueThread publication={publication} />}
      {state === "published" && problem && problem.code !== "parts_missing" && (
        <Notice tone="warning">{problem.message}</Notice>
      )}
      {isUnconfirmed && <ResolveUnconfirmed publication={publication} />}
      <Section title="Details">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 [overflow-wrap:anywhere] [&>dt]:text-muted">
          <dt>Post</dt>
          <dd>
            {postTitle === null ? (
              title
            ) : (
              <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId }}>
                {title}
              </Link>
            )}
            , revision {publication.revision}
          </dd>
          <dt>Time</dt>
          <dd>{describeTime(publication, studio.timezone)}</dd>
          {url !== null && (
            <>
              <dt>Link</dt>
              <dd>
                <a href={url} target="_blank" rel="noreferrer">
                  {url}
                </a>
              </dd>
            </>
          )}
        </dl>
        {!isReview && !hasProblem && (
          // Without the link to the published post, which is above.
          <div className="mt-5 flex flex-wrap items-center gap-2 empty:hidden max-sm:*:min-h-11">
            <PublicationActions
              publication={{ ...publication, url: null }}
              hasReviewLink={false}
              isSuperseded={publication.isSuperseded}
            />
          </div>
        )}
      </Section>
      <Section title={isReview ? "What will be sent" : "Content"}>
        {isReview ? (
          <ProposalReview publication={publication} onAskForChanges={askForChanges} />
        ) : (
          <PublicationContent publication={publication} />
        )}
      </Section>
      {state === "published" && <PublicationResults publication={publication} />}
      <Section title="Timeline">
        <Timeline publication={publication} />
      </Section>
      {changesDialog}
    </>
  );
}

/** True while the publication waits for approval, and as long as an approval can be undone: until then, nothing moves. */
function useIsReview(isProposed: boolean): boolean {
  const [isReview, setIsReview] = useState(isProposed);
  if (isProposed && !isReview) setIsReview(true);
  useEffect(() => {
    if (isProposed) return undefined;
    const timer = setTimeout(() => setIsReview(false), undoSeconds * 1000);
    return () => clearTimeout(timer);
  }, [isProposed]);
  return isReview;
}
