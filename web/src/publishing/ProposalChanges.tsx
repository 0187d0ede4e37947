import { useQuery } from "@tanstack/react-query";
import { revisionQuery } from "../api/history-queries.ts";
import type { PublicationDetail } from "../api/publication-queries.ts";
import type { Post } from "../api/queries.ts";
import { RevisionDiff } from "../history/RevisionDiff.tsx";
import { TextDiff } from "../history/TextDiff.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { formatActor } from "../ui/format-actor.ts";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { isSameContent, toSnapshot } from "./account-snapshot.ts";
import { describeRequestedTime } from "./describe-time.ts";
import { wasSentBack } from "./sent-back.ts";

interface Baseline {
  revision: number;
  scheduledFor: string | null;
}

/**
 * What changed in a proposal since a person approved or scheduled it, or since a person asked for changes. Nothing if
 * no person has seen it before.
 */
export function ProposalChanges({ publication, post }: { publication: PublicationDetail; post: Post }) {
  const { lastApproval } = publication;
  const sentBack = findSentBack(publication, post);
  if (lastApproval)
    return (
      <Changes
        {...{ publication, post }}
        baseline={lastApproval}
        label="Changes since the approval"
        heading={describeLastChange(publication)}
      />
    );
  return (
    sentBack && (
      <Changes
        {...{ publication, post }}
        baseline={sentBack}
        label="Changes since it was sent back"
        heading="Requested again after it was sent back"
      />
    )
  );
}

/** The request before this one, if it was sent back. */
function findSentBack({ id, connectionId }: PublicationDetail, { publications = [] }: Post): Baseline | undefined {
  // Sorted, newest first.
  const requests = publications.filter((publication) => publication.connectionId === connectionId);
  const index = requests.findIndex((request) => request.id === id);
  const previousRequest = index === -1 ? undefined : requests[index + 1];
  return previousRequest && wasSentBack(previousRequest) ? previousRequest : undefined;
}

function Changes({
  publication,
  post,
  baseline,
  label,
  heading,
}: {
  publication: PublicationDetail;
  post: Post;
  baseline: Baseline;
  label: string;
  heading: string;
}) {
  const { studio } = useStudio();
  const previousRevision = useQuery({ ...revisionQuery(studio.id, post.id, baseline.revision), retry: false });
  const after = toSnapshot(post, publication);
  const before = previousRevision.data && toSnapshot(previousRevision.data, publication);
  const [timeBefore, timeAfter] = [baseline, publication].map(({ scheduledFor }) =>
    describeRequestedTime(scheduledFor, studio.timezone),
  );
  const hasTimeChanged = timeBefore !== timeAfter;
  return (
    <>
      <section
        className="mb-5 rounded-lg border border-l-3 border-rule border-l-accent bg-raised p-4"
        aria-label={label}
      >
        <p className="m-0 mb-3 font-semibold">{heading}</p>
        <div className="grid gap-4">
          {!before && <QueryStatus query={previousRevision} />}
          {before && !(hasTimeChanged && isSameContent(before, after)) && (
            <RevisionDiff before={before} after={after} currentAssets={post.assets} />
          )}
          {hasTimeChanged && (
            <div>
              <p className="m-0 mb-1 text-sm text-muted">Time</p>
              {/* Whole times are easier to compare than their parts. */}
              <TextDiff before={timeBefore ?? ""} after="" />
              <TextDiff before="" after={timeAfter ?? ""} />
            </div>
          )}
        </div>
      </section>
      <p className="m-0 mb-2 text-sm text-muted">New version</p>
    </>
  );
}

/** Says who made the change that requires a new approval. Earlier changes can be those of other users. */
function describeLastChange({ timeline }: PublicationDetail): string {
  const change = timeline.findLast(
    ({ action, outcome }) =>
      action === "publication.returned" || (action === "publication.rescheduled" && outcome === "proposed"),
  );
  const wasApproved = timeline.some(({ action }) => action === "publication.approved");
  const text = `Changed after it was ${wasApproved ? "approved" : "scheduled"}`;
  return change?.user || change?.client ? `${text}, last by ${formatActor(change.user, change.client)}` : text;
}
