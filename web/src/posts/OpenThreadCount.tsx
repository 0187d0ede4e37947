import { MessageSquare } from "lucide-react";
import type { PostSummary } from "../api/summary-queries.ts";
import { formatOpenThreads } from "../comments/group-threads.ts";

/** How many threads of the post's comments are not resolved; nothing if all are. */
export function OpenThreadCount({ post: { openThreadCount } }: { post: PostSummary }) {
  if (openThreadCount === 0) return null;
  const label = formatOpenThreads(openThreadCount);
  return (
    <span className="inline-flex flex-none items-center gap-1 text-sm text-muted" title={label}>
      <MessageSquare size={14} className="flex-none" aria-hidden="true" />
      <span className="tabular-nums" aria-hidden="true">
        {openThreadCount}
      </span>
      <span className="sr-only">{label}</span>
    </span>
  );
}
