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

/** What changed in a publication that was approved, or scheduled without an approval, and needs a new approval. */
export function ChangesSinceApproval({
  publication,
  lastApproval,
  post,
}: {
  publication: PublicationDetail;
  lastApproval: NonNullable<PublicationDetail["lastApproval"]>;
  post: Post;
}) {
  const { studio } = useStudio();
  const approvedRevision = useQuery({ ...revisionQuery(studio.id, post.id, lastApproval.revision), retry: false });
  const after = toSnapshot(post, publication);
  const before = approvedRevision.data && toSnapshot(approvedRevision.data, publication);
  const [timeBefore, timeAfter] = [lastApproval, publication].map(({ scheduledFor }) =>
    describeRequestedTime(scheduledFor, studio.timezone),
  );
  const hasTimeChanged = timeBefore !== timeAfter;
  return (
    <section className="mb-5 border-l-3 border-accent bg-raised p-4" aria-label="Changes since the approval">
      <p className="m-0 mb-3 font-semibold">{describeLastChange(publication)}</p>
      <div className="grid gap-4">
        {!before && <QueryStatus query={approvedRevision} />}
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
