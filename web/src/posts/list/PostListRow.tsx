import { Link } from "@tanstack/react-router";
import { memo } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import type { PostSearch } from "../../search-params.ts";
import { ReviewBadge } from "../../reviews/ReviewBadge.tsx";
import { Checkbox } from "../../ui/Checkbox.tsx";
import { Thumbnail } from "../../ui/Thumbnail.tsx";
import { AccountStates } from "../AccountStates.tsx";
import { OpenThreadCount } from "../OpenThreadCount.tsx";
import { PostExcerpt } from "../PostExcerpt.tsx";
import { PostMenu } from "../PostMenu.tsx";
import { PostStateBadge } from "../PostStateBadge.tsx";
import { PostTime } from "../PostTime.tsx";
import { TextThumbnail } from "../TextThumbnail.tsx";
import type { Columns } from "./columns.ts";
import { CompactDetails, NarrowDetails } from "./NarrowDetails.tsx";
import { NarrowAuthor, RowAuthor } from "./RowAuthor.tsx";
import { RowTags, TagsIfRoom } from "./RowTags.tsx";
import { sortMatchingTags } from "./sort-matching-tags.ts";
import type { Density } from "./use-density.ts";
import type { RowLayout } from "./use-row-layout.ts";

const heightClasses: Record<Density, string> = {
  comfortable: "min-h-19 py-1.5",
  compact: "min-h-11 py-0.5",
};

/** One post of the list. All props stay the same while the user scrolls, so that only new rows render. */
export const PostListRow = memo(function PostListRow({
  post,
  studioId,
  timezone,
  density,
  layout,
  columns,
  search,
  isSelected,
  onSelect,
}: {
  post: PostSummary;
  studioId: string;
  timezone: string;
  density: Density;
  layout: RowLayout;
  columns: Columns;
  /** What the list is searched for and filtered by. */
  search: PostSearch;
  isSelected: boolean;
  /** Undefined for users who may not change posts. */
  onSelect: ((id: string, isSelected: boolean, isRange: boolean) => void) | undefined;
}) {
  const isCompact = density === "compact";
  const isNarrow = layout === "narrow";
  const tags = sortMatchingTags(post.tags, search);
  // For title and excerpt, or for a long title alone, so that all rows have the same height. In a search, the excerpt,
  // which contains the match, is always shown.
  const isTwoLines = isNarrow && !isCompact;
  return (
    <div
      data-selected={isSelected || undefined}
      className={`group relative flex items-center border-b border-rule px-1 hover:bg-hover data-selected:bg-wash sm:px-2 ${isNarrow ? "gap-x-2" : "gap-x-3"} ${heightClasses[density]}`}
    >
      {onSelect && (
        // On a phone, the box starts at the page's margin, and its target continues into the margin.
        <span className="relative z-1 flex-none max-sm:-ml-1.5 max-sm:pointer-coarse:-ml-3.5">
          <Checkbox
            checked={isSelected}
            label={`Select ${post.title}`}
            isLabelHidden
            onChange={(isChecked, isRange) => onSelect(post.id, isChecked, isRange)}
          />
        </span>
      )}
      {!(isCompact && isNarrow) && <PostThumbnail post={post} isCompact={isCompact} />}
      <div className={`min-w-0 flex-1 md:pr-2 ${isTwoLines ? "ml-1" : ""}`}>
        <div className={isTwoLines ? "h-[2.75em] overflow-hidden" : ""}>
          <div className="flex min-w-0 items-center gap-2">
            <h2
              className={`min-w-0 pr-0.5 text-base font-medium ${isTwoLines ? "leading-snug" : ""} ${isTwoLines && !post.match ? "line-clamp-2 text-wrap [overflow-wrap:anywhere]" : "truncate"}`}
            >
              <Link
                // Covers the row, so that all of it can be clicked.
                className={`no-underline group-hover:text-accent after:absolute after:inset-0 ${post.status === "archived" ? "text-muted" : "text-ink"}`}
                to="/studios/$studioId/posts/$postId"
                params={{ studioId, postId: post.id }}
              >
                {post.title}
              </Link>
            </h2>
            {!isTwoLines && <OpenThreadCount post={post} />}
            {isCompact && layout === "wide" && <TagsIfRoom tags={tags} />}
          </div>
          {!isCompact && (
            <div className="flex min-w-0 items-center gap-2">
              <RowExcerpt post={post} />
              {!isNarrow && <RowTags tags={tags} />}
            </div>
          )}
        </div>
        {isTwoLines && <NarrowDetails post={post} tags={tags} timezone={timezone} />}
      </div>
      {layout === "wide" && <WideColumns post={post} columns={columns} isCompact={isCompact} />}
      {isNarrow ? (
        isCompact && <CompactDetails post={post} stateClass={columns.narrowState} timezone={timezone} />
      ) : (
        <>
          <RowAuthor post={post} isCompact={isCompact} className={columns.author} />
          <span className={`grid ${columns.state}`}>
            <PostStateBadge post={post} labelClassName={isCompact ? "" : "whitespace-normal"} />
          </span>
          <span className={`text-sm whitespace-nowrap text-muted ${columns.time}`}>
            <PostTime post={post} timezone={timezone} />
          </span>
        </>
      )}
      <RowEnd post={post} hasAuthor={isTwoLines} />
    </div>
  );
});

/** The columns that only wide rows have. */
const WideColumns = ({ post, columns, isCompact }: { post: PostSummary; columns: Columns; isCompact: boolean }) => (
  <>
    {columns.accounts !== undefined && (
      <span className={columns.accounts}>
        <AccountStates post={post} platforms={isCompact ? "hidden" : "below"} />
      </span>
    )}
    {columns.review !== undefined && (
      <span className={`grid ${columns.review}`}>
        <ReviewBadge post={post} labelClassName={isCompact ? "truncate" : "whitespace-normal"} />
      </span>
    )}
  </>
);

/** The menu; in narrow rows without room for a name, the author is below it. */
const RowEnd = ({ post, hasAuthor }: { post: PostSummary; hasAuthor: boolean }) => (
  <span
    className={`flex flex-none flex-col items-center justify-between ${hasAuthor ? "self-stretch @2xl:justify-center @max-md:-mr-2" : ""}`}
  >
    <span className="relative z-1">
      <PostMenu post={post} />
    </span>
    {hasAuthor && (
      <span className="leading-none @2xl:hidden">
        <NarrowAuthor post={post} />
      </span>
    )}
  </span>
);

/** The start of the text. Beside tags, it keeps 8 rem. */
const RowExcerpt = ({ post }: { post: PostSummary }) =>
  post.excerpt === "" && !post.match ? (
    <p className="m-0 flex-none text-sm text-muted">No text yet</p>
  ) : (
    <p className="m-0 min-w-[8rem] truncate text-sm text-muted">
      <PostExcerpt post={post} maxLeadLength={20} />
    </p>
  );

function PostThumbnail({ post: { assets, assetCount }, isCompact }: { post: PostSummary; isCompact: boolean }) {
  const [asset] = assets;
  const sizeClass = isCompact ? "size-9" : "size-12";
  return (
    <span className={`relative flex-none ${sizeClass}`}>
      {asset ? (
        <Thumbnail asset={{ ...asset, altText: "" }} size="small" className={sizeClass} />
      ) : (
        <TextThumbnail className={sizeClass} />
      )}
      {assetCount > 1 && (
        <span className="absolute right-0 bottom-0 rounded-sm bg-raised px-1 text-xs/4 tabular-nums shadow-raised forced-colors:border">
          {assetCount}
          <span className="sr-only"> files</span>
        </span>
      )}
      {assetCount === 1 && <span className="sr-only">1 file</span>}
    </span>
  );
}
