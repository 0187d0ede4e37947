import { useNavigate } from "@tanstack/react-router";
import { Search, SquarePen } from "lucide-react";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { formatError } from "../api/api-error.ts";
import { assetsQuery } from "../api/queries.ts";
import { postSummariesQuery, type PostSummary } from "../api/summary-queries.ts";
import { useSearchedList, type SearchedList } from "../api/use-paged-list.ts";
import { Filename } from "../assets/Filename.tsx";
import { describePostState } from "../posts/describe-post-state.ts";
import { findPostTime } from "../posts/find-post-time.ts";
import { PostExcerpt } from "../posts/PostExcerpt.tsx";
import { formatShortTime } from "../ui/format-time.ts";
import { Thumbnail } from "../ui/Thumbnail.tsx";
import { PaletteGroup, PaletteItem } from "./PaletteItem.tsx";
import { sortByTitle } from "./sort-by-title.ts";
import { useStudio } from "./use-studio.ts";

const maxResults = 5;
/** More than are shown, because those with a matching title are shown first. */
const postPageSize = 30;
/** The search starts after a pause in typing of this length. */
const typingPauseMs = 200;

interface ResultsProps {
  query: string;
  /** Returns a function that closes the palette and then runs the command. */
  closeAndRun: (run: () => void) => () => void;
  /** Called after the results are rendered. */
  onRender: () => void;
  /** Shows that the search failed, is running, or found nothing. A list of options can't contain it. */
  statusSlot: HTMLElement | null;
  /** Follows the results. */
  children: ReactNode;
}

/** Posts and assets that match the typed text. */
export function PaletteResults({ query, ...props }: ResultsProps) {
  const [settledQuery, setSettledQuery] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettledQuery(query), typingPauseMs);
    return () => clearTimeout(timer);
  }, [query]);
  return settledQuery !== "" && <SearchResults query={settledQuery} isSettled={settledQuery === query} {...props} />;
}

function SearchResults({
  query,
  isSettled,
  closeAndRun,
  onRender,
  statusSlot,
  children,
}: ResultsProps & {
  /** Whether the user has not typed since the search started. */
  isSettled: boolean;
}) {
  const { studio, may } = useStudio();
  const navigate = useNavigate();
  const posts = useSearchedList(
    (words) => postSummariesQuery(studio.id, { ...words, status: "draft,ready,archived" }, postPageSize),
    query,
  );
  const assets = useSearchedList((words) => assetsQuery(studio.id, words), query);
  const shownPosts = useMemo(() => sortByTitle(posts.items, query).slice(0, maxResults), [posts.items, query]);
  const hasResults = posts.items.length > 0 || assets.items.length > 0;
  const isSearching = [posts, assets].some(({ query: { isPending }, isAutoLoading }) => isPending || isAutoLoading);
  const isNothingFound =
    isSettled && !hasResults && !isSearching && [posts, assets].every((list) => list.query.isSuccess);
  useEffect(onRender);

  const params = { studioId: studio.id };
  const openPost = (postId: string) =>
    closeAndRun(() => void navigate({ to: "/studios/$studioId/posts/$postId", params: { ...params, postId } }));
  const openPosts = closeAndRun(() => void navigate({ to: "/studios/$studioId/posts", params, search: { q: query } }));
  const openFile = (file: string) =>
    closeAndRun(() => void navigate({ to: "/studios/$studioId/assets", params, search: { file } }));
  const openLibrary = closeAndRun(
    () => void navigate({ to: "/studios/$studioId/assets", params, search: { q: query } }),
  );
  const openNewPost = closeAndRun(
    () => void navigate({ to: "/studios/$studioId/posts/new", params, state: { newPostTitle: query } }),
  );

  return (
    <>
      {posts.items.length > 0 && (
        <PaletteGroup heading={posts.isFuzzy ? "Posts with similar words" : "Posts"}>
          {shownPosts.map((post) => (
            <PaletteItem key={post.id} value={post.id} onSelect={openPost(post.id)}>
              <PostResult post={post} timezone={studio.timezone} />
            </PaletteItem>
          ))}
          {posts.items.length > maxResults && (
            <ShowAll label={`Show all posts that match “${query}”`} onSelect={openPosts} />
          )}
        </PaletteGroup>
      )}
      {assets.items.length > 0 && (
        <PaletteGroup heading={assets.isFuzzy ? "Files with similar words" : "Library"}>
          {assets.items.slice(0, maxResults).map((asset) => (
            <PaletteItem key={asset.id} value={asset.id} onSelect={openFile(asset.id)}>
              <Thumbnail asset={asset} size="tiny" />
              <Filename name={asset.filename} className="min-w-0 flex-1" />
            </PaletteItem>
          ))}
          {assets.items.length > maxResults && (
            <ShowAll label={`Show all files that match “${query}”`} onSelect={openLibrary} />
          )}
        </PaletteGroup>
      )}
      {/* Not before the results, because Enter runs the first command. */}
      {(hasResults || !isSearching) && children}
      {isNothingFound && may("posts.write") && (
        <PaletteItem value="New post with this title" onSelect={openNewPost}>
          <SquarePen size={16} className="flex-none text-muted" aria-hidden="true" />
          <span className="min-w-0 flex-1 truncate">New post “{query}”</span>
        </PaletteItem>
      )}
      {statusSlot && createPortal(describeSearch(query, [posts, assets]), statusSlot)}
    </>
  );
}

function PostResult({ post, timezone }: { post: PostSummary; timezone: string }) {
  const { icon: Icon, label, color } = describePostState(post);
  const { kind, at } = findPostTime(post);
  return (
    <>
      <Icon size={16} className={`flex-none ${color}`} aria-hidden="true" />
      <span className="min-w-0 flex-1 py-1.5">
        <span className="line-clamp-2 [overflow-wrap:anywhere] sm:line-clamp-1">{post.title}</span>
        {/* Posts of a series have similar titles, so this must tell them apart. */}
        <span className="block text-sm text-muted sm:flex sm:gap-1">
          <span className="block flex-none">
            {label} · {kind === "created" && "created "}
            {formatShortTime(at, timezone)}
          </span>
          {post.match && (
            <span className="block min-w-0 truncate">
              <span className="max-sm:hidden" aria-hidden="true">
                ·{" "}
              </span>
              <PostExcerpt post={post} maxLeadLength={20} />
            </span>
          )}
        </span>
      </span>
    </>
  );
}

type ListState = Pick<SearchedList<unknown>, "query" | "items" | "isAutoLoading">;

/** Says that the search failed, is running, or found nothing; otherwise undefined. */
function describeSearch(query: string, lists: readonly ListState[]): string | undefined {
  const failure = lists.find((list) => list.query.isError)?.query.error;
  if (failure) {
    return formatError(failure);
  }
  if (lists.some((list) => list.query.isPending || list.isAutoLoading)) return "Searching…";
  return lists.every((list) => list.items.length === 0) ? `No posts or files match “${query}”.` : undefined;
}

const ShowAll = ({ label, onSelect }: { label: string; onSelect: () => void }) => (
  <PaletteItem value={label} onSelect={onSelect}>
    <Search size={16} className="flex-none text-muted" aria-hidden="true" />
    <span className="min-w-0 flex-1 truncate">{label}</span>
  </PaletteItem>
);
