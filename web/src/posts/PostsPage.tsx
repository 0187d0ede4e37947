import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { postsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { postStatuses, type PostSearch } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { List, PagedList, Toolbar } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { FilterTabs } from "../ui/Tabs.tsx";
import { ConnectClientHint } from "./ConnectClientHint.tsx";
import { PostRow } from "./PostRow.tsx";
import { statusLabels } from "./status-labels.ts";

const route = getRouteApi("/studios/$studioId/posts");

export function PostsPage() {
  const { studio, may } = useStudio();
  const search = route.useSearch();
  const { status: currentStatus, ...otherSearch } = search;
  const posts = usePagedList(
    postsQuery(studio.id, {
      ...(currentStatus ? { status: currentStatus } : {}),
      ...(search.q ? { query: search.q } : {}),
    }),
  );

  // The empty state has the same button.
  const isEmpty = posts.query.isSuccess && posts.items.length === 0 && !isFiltered(search);

  return (
    <>
      <PageHeader
        title="Posts"
        actions={
          may("posts.write") &&
          !isEmpty && (
            <ButtonLink to="/studios/$studioId/posts/new" params={{ studioId: studio.id }}>
              New post
            </ButtonLink>
          )
        }
      />
      <Toolbar>
        <FilterTabs
          label="Filter by status"
          current={currentStatus}
          options={postStatuses.map((status) => [status, statusLabels[status].plural])}
          getLink={(status) =>
            linkOptions({
              to: "/studios/$studioId/posts",
              params: { studioId: studio.id },
              search: status ? { ...otherSearch, status } : otherSearch,
            })
          }
        />
        <SearchField q={search.q ?? ""} />
      </Toolbar>
      <PagedList list={posts} empty={<NoPosts search={search} />} autoLoadingLabel="Searching older posts…">
        {(items) => (
          <List aria-label="Posts">
            {items.map((post) => (
              <PostRow key={post.id} post={post} />
            ))}
          </List>
        )}
      </PagedList>
      {posts.items.length > 0 && <ConnectClientHint />}
    </>
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
    <div className="flex-[0_1_16rem] max-sm:flex-[1_1_100%]">
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

const isFiltered = ({ q, status }: PostSearch): boolean => q !== undefined || status !== undefined;

function NoPosts({ search }: { search: PostSearch }) {
  const { studio, may } = useStudio();
  if (isFiltered(search)) {
    return (
      <EmptyState
        title="No matching posts"
        actions={
          <Link to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Show all posts
          </Link>
        }
      >
        {search.q === undefined ? "No posts have this status." : `No posts contain “${search.q}” in the title or text.`}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No posts yet"
      actions={
        <>
          {may("posts.write") && (
            <ButtonLink to="/studios/$studioId/posts/new" params={{ studioId: studio.id }}>
              Write a post
            </ButtonLink>
          )}
          <ButtonLink variant="secondary" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
            Connect an AI client
          </ButtonLink>
        </>
      }
    >
      Write one yourself, or connect an AI client and ask it to draft one. New posts appear here right away.
    </EmptyState>
  );
}
