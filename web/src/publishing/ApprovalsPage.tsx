import { getRouteApi, Link } from "@tanstack/react-router";
import { Hourglass } from "lucide-react";
import { useState } from "react";
import { publicationsQuery, type ListedPublication } from "../api/publication-queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { formatAccount } from "../platforms/format-account.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { PagedList } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useAskForChanges, type ReviewedProposal } from "./AskForChangesDialog.tsx";
import { describeTime } from "./describe-time.ts";
import type { PreviousProposal } from "./ProposalContent.tsx";
import { ProposalReview } from "./ProposalReview.tsx";
import { PublicationTabs } from "./PublicationTabs.tsx";
import { usePlatformNames } from "./use-platform-names.ts";
import { useQuotedPostTitle } from "./use-post-title.ts";

const route = getRouteApi("/studios/$studioId/publications/approvals");

/** What waits for a person's approval, with what will be sent: everything, or the proposals of one post. */
export function ApprovalsPage() {
  const { studio } = useStudio();
  const { post } = route.useSearch();
  return (
    <>
      <PageHeader title="Approvals">
        {post === undefined ? (
          "Posts here are published only after someone approves them. The earliest publishing time comes first. "
        ) : (
          <PostIntroduction postId={post} />
        )}
        Times are in the studio’s time zone ({studio.timezone}).
      </PageHeader>
      <PublicationTabs current="approvals" />
      {/* A new list for another studio or post. */}
      <ProposalList key={`${studio.id} ${post}`} postId={post} />
    </>
  );
}

function PostIntroduction({ postId }: { postId: string }) {
  const { studio } = useStudio();
  return (
    <>
      This is what waits for approval of {useQuotedPostTitle(postId)}.{" "}
      <Link to="/studios/$studioId/publications/approvals" params={{ studioId: studio.id }}>
        See all approvals
      </Link>
      <br />
    </>
  );
}

function ProposalList({ postId }: { postId: string | undefined }) {
  const { studio } = useStudio();
  const filter = { state: "proposed", order: "soonest", ...(postId === undefined ? {} : { postId }) } as const;
  const proposals = usePagedList(publicationsQuery(studio.id, filter));
  const shownProposals = useStableList(proposals.items);
  const { askForChanges, changesDialog } = useAskForChanges();
  /** By the id of the proposal. */
  const [shownRevisions, setShownRevisions] = useState<ReadonlyMap<string, number>>(new Map());
  const nothingLeft = (
    <EmptyState
      title="Nothing to approve"
      icon={Hourglass}
      actions={
        <ButtonLink variant="secondary" to="/studios/$studioId/publications" params={{ studioId: studio.id }}>
          See all publications
        </ButtonLink>
      }
    >
      When an AI client or a member asks to publish a post, it appears here.
    </EmptyState>
  );
  return (
    <>
      <PagedList list={{ ...proposals, items: shownProposals }} empty={nothingLeft}>
        {(items) => (
          <ul aria-label="Waiting for approval">
            {items.map((publication, index) => (
              <Proposal
                key={publication.id}
                publication={publication}
                previousProposals={listProposalsOfPost(items.slice(0, index), publication.postId).map((proposal) => ({
                  ...proposal,
                  shownRevision: shownRevisions.get(proposal.id),
                }))}
                onShow={(revision) =>
                  setShownRevisions((revisions) => new Map(revisions).set(publication.id, revision))
                }
                onAskForChanges={askForChanges}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {shownProposals.length > 0 && proposals.items.length === 0 && !proposals.query.hasNextPage && nothingLeft}
      {changesDialog}
    </>
  );
}

/**
 * Keeps proposals that are no longer listed in their place, and adds new ones at the end. Otherwise a decision, or a new
 * proposal, would move the button of another post under the pointer.
 */
function useStableList(items: readonly ListedPublication[]): readonly ListedPublication[] {
  const [shownItems, setShownItems] = useState(items);
  const shownIds = new Set(shownItems.map(({ id }) => id));
  const mergedItems = [
    ...shownItems.map((shown) => items.find(({ id }) => id === shown.id) ?? shown),
    ...items.filter(({ id }) => !shownIds.has(id)),
  ];
  if (mergedItems.some((item, index) => item !== shownItems[index])) setShownItems(mergedItems);
  return mergedItems;
}

/** The last proposals, as far as they are of the post. */
const listProposalsOfPost = (proposals: readonly ListedPublication[], postId: string): readonly ListedPublication[] =>
  proposals.slice(proposals.findLastIndex((proposal) => proposal.postId !== postId) + 1);

function Proposal({
  publication,
  previousProposals,
  onShow,
  onAskForChanges,
}: {
  publication: ListedPublication;
  previousProposals: readonly PreviousProposal[];
  onShow: (revision: number) => void;
  onAskForChanges: (proposal: ReviewedProposal) => void;
}) {
  const { studio } = useStudio();
  const getPlatformName = usePlatformNames();
  const { account, platform, requestedBy, requestedThrough, createdAt } = publication;
  return (
    <li className="border-t border-rule py-8">
      <h2 className="[overflow-wrap:anywhere]">
        <Link
          className="text-ink no-underline hover:text-accent"
          to="/studios/$studioId/posts/$postId"
          params={{ studioId: studio.id, postId: publication.postId }}
        >
          {publication.postTitle}
        </Link>
      </h2>
      <dl className="mt-2 mb-5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 [overflow-wrap:anywhere] [&>dt]:text-muted">
        <dt>Account</dt>
        <dd>{formatAccount(account, getPlatformName(platform))}</dd>
        <dt>Time</dt>
        <dd>{describeTime(publication, studio.timezone)}</dd>
        <dt>Requested</dt>
        <dd>
          by {formatActor(requestedBy, requestedThrough === null ? null : { name: requestedThrough })},{" "}
          <RelativeTime at={createdAt} timezone={studio.timezone} />
        </dd>
      </dl>
      <ProposalReview
        publication={publication}
        previousProposals={previousProposals}
        isCompact
        onShow={onShow}
        onAskForChanges={onAskForChanges}
      />
    </li>
  );
}
