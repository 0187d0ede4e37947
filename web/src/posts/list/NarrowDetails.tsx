import type { PostSummary } from "../../api/summary-queries.ts";
import { ReviewBadge } from "../../reviews/ReviewBadge.tsx";
import { AccountStates } from "../AccountStates.tsx";
import { OpenThreadCount } from "../OpenThreadCount.tsx";
import { PostStateBadge } from "../PostStateBadge.tsx";
import { PostTime } from "../PostTime.tsx";
import { hasLongState } from "./columns.ts";
import { NarrowAuthor } from "./RowAuthor.tsx";
import { TagsIfRoom } from "./RowTags.tsx";

/**
 * What wider rows show in columns: always the state and the time, the rest if there is room. On a phone, what does not
 * fit wraps to a line that is hidden.
 */
export function NarrowDetails({
  post,
  tags,
  timezone,
}: {
  post: PostSummary;
  tags: readonly string[];
  timezone: string;
}) {
  return (
    <p className="relative mt-1.5 mb-0 flex min-w-0 items-center gap-x-2.5 overflow-hidden text-sm text-muted @max-md:h-lh @max-md:flex-wrap @max-md:gap-x-2">
      {/* On a phone, only “Waiting” fits beside the time. */}
      <PostStateBadge post={post} restClassName={hasLongState(post) ? "@max-md:sr-only" : undefined} />
      <PostTime post={post} timezone={timezone} isBesideState />
      <ReviewBadge post={post} labelClassName="@max-2xl:sr-only" />
      <OpenThreadCount post={post} />
      <span className="flex flex-none @max-2xl:hidden">
        <NarrowAuthor post={post} hasName />
      </span>
      {post.publications.length > 0 && (
        <span className="min-w-0 @max-md:hidden">
          <AccountStates post={post} platforms="beside" />
        </span>
      )}
      <TagsIfRoom tags={tags} />
    </p>
  );
}

/** The same in a compact row, which has one line: at its end, and on a phone only the icons. */
export function CompactDetails({
  post,
  stateClass,
  timezone,
}: {
  post: PostSummary;
  stateClass: string;
  timezone: string;
}) {
  return (
    <>
      <NarrowAuthor post={post} />
      <span className={`grid ${stateClass}`}>
        <PostStateBadge post={post} labelClassName="@max-2xl:sr-only" />
      </span>
      <span className="w-26 flex-none truncate text-right text-sm text-muted @max-2xl:hidden">
        <PostTime post={post} timezone={timezone} isBesideState isShort />
      </span>
    </>
  );
}
