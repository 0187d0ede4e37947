import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { postsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { postStatuses, type PostSearch } from "../search-params.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { FilterTabs } from "../ui/FilterTabs.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";
import { Loading } from "../ui/Loading.tsx";
import { ConnectClientHint } from "./ConnectClientHint.tsx";
import { PostRow } from "./PostRow.tsx";
import { statusLabels } from "./status-labels.ts";
import { useSearchToEnd } from "./use-search-to-end.ts";

const route = getRouteApi("/studios/$studioId/posts");

export function PostsPage() {
  const { studio, may } = useStudio();
  const search = route.useSearch();
  const filter = { ...(search.status ? { status: search.status } : {}), ...(search.q ? { query: search.q } : {}) };
  const posts = useInfiniteQuery(postsQuery(studio.id, filter));
  const isContinuing = useSearchToEnd(posts);
  const rows = posts.data?.pages.flatMap((page) => page.posts) ?? [];

  return (
    <>
      <PageHeader
        title="Posts"
        actions={
          may("posts.write") && (
            <Link className="button" to="/studios/$studioId/posts/new" params={{ studioId: studio.id }}>
              New post
            </Link>
          )
        }
      />
      <div className="toolbar">
        <StatusTabs search={search} studioId={studio.id} />
        <SearchField q={search.q ?? ""} />
      </div>
      <QueryStatus query={posts} />
      {rows.length > 0 && (
        <ul className="rows" aria-label="Posts">
          {rows.map((post) => (
            <PostRow key={post.id} post={post} />
          ))}
        </ul>
      )}
      {posts.isSuccess && rows.length === 0 && !posts.hasNextPage && <NoPosts search={search} />}
      {isContinuing ? <Loading label="Searching older posts…" /> : <ShowMore query={posts} />}
      {rows.length > 0 && <ConnectClientHint />}
    </>
  );
}

function StatusTabs({ search, studioId }: { search: PostSearch; studioId: string }) {
  const { status: _, ...others } = search;
  const toLink = (nextSearch: PostSearch) =>
    linkOptions({ to: "/studios/$studioId/posts", params: { studioId }, search: nextSearch });
  return (
    <FilterTabs
      label="Filter by status"
      tabs={[
        { label: "All", link: toLink(others), current: search.status === undefined },
        ...postStatuses.map((status) => ({
          label: statusLabels[status].plural,
          link: toLink({ ...others, status }),
          current: search.status === status,
        })),
      ]}
    />
  );
}

/** Writes the search text to the URL when the user pauses typing, so that a search can be bookmarked and shared. */
function SearchField({ q }: { q: string }) {
  const navigate = route.useNavigate();
  const [searchText, setSearchText] = useState(q);
  // The query this field last wrote to the URL; any other value came from navigation and replaces the text.
  const appliedQuery = useRef(q);

  useEffect(() => {
    if (q === appliedQuery.current) return;
    appliedQuery.current = q;
    setSearchText(q);
  }, [q]);

  useEffect(() => {
    const nextQuery = searchText.trim();
    if (nextQuery === appliedQuery.current) return undefined;
    const timer = setTimeout(() => {
      appliedQuery.current = nextQuery;
      void navigate({
        search: ({ q: _, ...others }) => ({ ...others, ...(nextQuery === "" ? {} : { q: nextQuery }) }),
        replace: true,
      });
    }, 250);
    return () => clearTimeout(timer);
  }, [searchText, navigate]);

  return (
    <div className="search">
      <label htmlFor="search" className="sr-only">
        Search posts
      </label>
      <input
        id="search"
        type="search"
        placeholder="Search"
        maxLength={200}
        value={searchText}
        onChange={(event) => setSearchText(event.target.value)}
      />
    </div>
  );
}

function NoPosts({ search }: { search: PostSearch }) {
  const { studio, may } = useStudio();
  if (search.q !== undefined || search.status !== undefined) {
    return (
      <EmptyState title="No matching posts">
        <p className="text-muted">
          {search.q === undefined
            ? "No posts have this status."
            : `No posts contain “${search.q}” in the title or text.`}
        </p>
        <p>
          <Link to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Show all posts
          </Link>
        </p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No posts yet">
      <p className="text-muted">
        Write one yourself, or connect an AI client and ask it to draft one. New posts appear here right away.
      </p>
      <p className="flex flex-wrap gap-3">
        {may("posts.write") && (
          <Link className="button" to="/studios/$studioId/posts/new" params={{ studioId: studio.id }}>
            Write a post
          </Link>
        )}
        <Link className="button secondary" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an AI client
        </Link>
      </p>
    </EmptyState>
  );
}
