import { getRouteApi, Link, linkOptions } from "@tanstack/react-router";
import { postsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { postStatuses, type PostSearch } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { EmptyState } from "../ui/EmptyState.tsx";
import { List, PagedList, Toolbar } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SearchField } from "../ui/SearchField.tsx";
import { FilterTabs } from "../ui/Tabs.tsx";
import { ActiveTag } from "../ui/Tags.tsx";
import { describeNoMatch } from "../ui/describe-no-match.ts";
import { ConnectClientHint } from "./ConnectClientHint.tsx";
import { PostRow } from "./PostRow.tsx";
import { statusLabels } from "./status-labels.ts";

const route = getRouteApi("/studios/$studioId/posts");

export function PostsPage() {
  const { studio, may } = useStudio();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { status: currentStatus, ...otherSearch } = search;
  const posts = usePagedList(
    postsQuery(studio.id, {
      ...(currentStatus ? { status: currentStatus } : {}),
      ...(search.q ? { query: search.q } : {}),
      ...(search.tag ? { tag: search.tag } : {}),
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
        <SearchField
          label="Search posts"
          query={search.q ?? ""}
          // In the URL, so that a search can be bookmarked and shared.
          onSearch={(q) =>
            void navigate({ search: ({ q: _, ...others }) => ({ ...others, ...(q && { q }) }), replace: true })
          }
        />
      </Toolbar>
      {search.tag !== undefined && (
        <ActiveTag
          tag={search.tag}
          clear={
            <Link from={route.id} to="." search={({ tag: _, ...others }) => others} aria-label="Clear tag filter">
              Clear
            </Link>
          }
        />
      )}
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

const isFiltered = (search: PostSearch): boolean => Object.keys(search).length > 0;

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
        {describeNoMatch("posts", search) ?? "No posts have this status."}
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
