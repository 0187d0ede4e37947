import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { postsQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { postStatuses, type PostSearch } from "../search.ts";
import { Empty } from "../ui/Empty.tsx";
import { FilterTabs } from "../ui/FilterTabs.tsx";
import { PageHead } from "../ui/PageHead.tsx";
import { QueryState } from "../ui/QueryState.tsx";
import { ShowMore } from "../ui/ShowMore.tsx";
import { Waiting } from "../ui/Waiting.tsx";
import { NoAssistantYet } from "./NoAssistantYet.tsx";
import { PostRow } from "./PostRow.tsx";
import { statusWords } from "./status.ts";
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
      <PageHead
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
      <QueryState of={posts} />
      {rows.length > 0 && (
        <ul className="rows" aria-label="Posts">
          {rows.map((post) => (
            <PostRow key={post.id} post={post} />
          ))}
        </ul>
      )}
      {posts.isSuccess && rows.length === 0 && !posts.hasNextPage && <NoPosts search={search} />}
      {isContinuing ? <Waiting what="Searching older posts…" /> : <ShowMore of={posts} />}
      {rows.length > 0 && <NoAssistantYet />}
    </>
  );
}

function StatusTabs({ search, studioId }: { search: PostSearch; studioId: string }) {
  const { status: _, ...others } = search;
  const to = (narrowed: PostSearch) =>
    linkOptions({ to: "/studios/$studioId/posts", params: { studioId }, search: narrowed });
  return (
    <FilterTabs
      label="By status"
      tabs={[
        { label: "All", link: to(others), current: search.status === undefined },
        ...postStatuses.map((status) => ({
          label: statusWords[status].plural,
          link: to({ ...others, status }),
          current: search.status === status,
        })),
      ]}
    />
  );
}

/** Typed text goes into the address once typing pauses, so that a search can be kept and shared. */
function SearchField({ q }: { q: string }) {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState(q);
  // What the address was last told from here: anything else in it came from a link, and is shown.
  const told = useRef(q);

  useEffect(() => {
    if (q === told.current) return;
    told.current = q;
    setTyped(q);
  }, [q]);

  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === told.current) return undefined;
    const timer = setTimeout(() => {
      told.current = wanted;
      void navigate({
        search: ({ q: _, ...others }) => ({ ...others, ...(wanted === "" ? {} : { q: wanted }) }),
        replace: true,
      });
    }, 250);
    return () => clearTimeout(timer);
  }, [typed, navigate]);

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
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}

function NoPosts({ search }: { search: PostSearch }) {
  const { studio, may } = useStudio();
  if (search.q !== undefined || search.status !== undefined) {
    return (
      <Empty title="Nothing found">
        <p className="text-muted">
          {search.q === undefined ? "No post is in this status." : `No post has “${search.q}” in its title or text.`}
        </p>
        <p>
          <Link to="/studios/$studioId/posts" params={{ studioId: studio.id }}>
            Show all posts
          </Link>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="The first post is the hardest">
      <p className="text-muted">
        Write one yourself, or connect an assistant and ask it to draft one. It will appear here the moment it is made.
      </p>
      <p className="flex flex-wrap gap-3">
        {may("posts.write") && (
          <Link className="button" to="/studios/$studioId/posts/new" params={{ studioId: studio.id }}>
            Write a post
          </Link>
        )}
        <Link className="button secondary" to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
          Connect an assistant
        </Link>
      </p>
    </Empty>
  );
}
