import { CalendarClock, CheckCheck, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { mayPublishWithoutApproval } from "../publishing/may-publish-without-approval.ts";
import { describeBlockedPublication, findBlockingProblem } from "../publishing/find-blocking-problem.ts";
import { findMainState } from "../publishing/find-main-state.ts";
import { formatTime } from "../ui/format-time.ts";
import { Notice } from "../ui/Notice.tsx";
import { useNow } from "../ui/use-now.ts";

/**
 * Says which planned publications will fail, or else what an edit of a scheduled or published post does. A publication
 * that has started sends the text that it had then.
 */
export function EditHint({ post }: { post: Post }) {
  const { studio, may } = useStudio();
  const { publications = [] } = post;
  const [time] = publications
    .filter(({ state }) => state === "scheduled")
    .flatMap(({ scheduledFor }) => scheduledFor ?? [])
    .toSorted();
  const isUpcoming = useNow((now) => time !== undefined && Date.parse(time) > now);
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
  if (!may("posts.write")) return null;
  if (time !== undefined && isUpcoming)
    return (
      <Hint icon={CalendarClock} color="text-info">
        Scheduled for {formatTime(time, studio.timezone)}.{" "}
        {mayPublishWithoutApproval(studio)
          ? "Changes until then will be published."
          : "If you change the text or files, an owner or admin needs to approve it again."}
      </Hint>
    );
  return (
    findMainState(publications) === "published" && (
      <Hint icon={CheckCheck} color="text-success">
        Already published. Changes here don’t change the published post.
      </Hint>
    )
  );
}

const Hint = ({ icon: Icon, color, children }: { icon: LucideIcon; color: string; children: ReactNode }) => (
  <p className="mt-2 mb-0 flex gap-1.5 text-sm text-muted">
    <Icon size={14} className={`mt-0.75 flex-none ${color}`} aria-hidden="true" />
    <span className="min-w-0">{children}</span>
  </p>
);
