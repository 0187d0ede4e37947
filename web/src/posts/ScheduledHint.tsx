import { CalendarClock } from "lucide-react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import { describeBlockedPublication, findBlockingProblem } from "../publishing/find-blocking-problem.ts";
import { formatTime } from "../ui/format-time.ts";
import { Notice } from "../ui/Notice.tsx";

/**
 * Says which planned publications will fail, or else what an edit of a scheduled post does. A publication that has
 * started sends the text that it had then.
 */
export function ScheduledHint({ post }: { post: Post }) {
  const { studio, may } = useStudio();
  const { publications = [] } = post;
  const warnings = publications.flatMap((publication) => {
    const problem = findBlockingProblem(post, publication);
    return problem ? describeBlockedPublication(publication, problem, studio.timezone) : [];
  });
  if (warnings.length > 0)
    return (
      <div className="mt-3 -mb-2 [overflow-wrap:anywhere]">
        <Notice tone="warning">
          {warnings.map((warning) => (
            <span key={warning} className="block">
              {warning}
            </span>
          ))}
        </Notice>
      </div>
    );
  const [time] = publications
    .filter(({ state }) => state === "scheduled")
    .flatMap(({ scheduledFor }) => scheduledFor ?? [])
    .toSorted();
  if (time === undefined || Date.parse(time) <= Date.now() || !may("posts.write")) return null;
  return (
    <p className="mt-2 mb-0 flex gap-1.5 text-sm text-muted">
      <CalendarClock size={14} className="mt-0.75 flex-none text-info" aria-hidden="true" />
      <span className="min-w-0">
        Scheduled for {formatTime(time, studio.timezone)}.{" "}
        {mayPublishWithoutApproval(studio)
          ? "Changes until then will be published."
          : "If you change the text or files, an owner or admin needs to approve it again."}
      </span>
    </p>
  );
}
