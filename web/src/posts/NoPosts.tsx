import { FileText } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import type { PostGroup, PostSearch } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { labelClearButton } from "../ui/describe-no-match.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { NoMatch } from "../ui/NoMatch.tsx";
import { groupIcons } from "./post-groups.ts";
import { isFiltered } from "./use-archived-posts.ts";

/** What each tab shows, and how a post gets there. */
const emptyGroups: Record<PostGroup, { title: string; text: string }> = {
  draft: {
    title: "No drafts",
    text: "Posts that are still being written appear here. Write one, or ask an AI client to draft one.",
  },
  ready: {
    title: "Nothing is ready",
    text: "Finished posts that wait to be published appear here. When a draft is done, open it and choose Mark ready.",
  },
  scheduled: {
    title: "Nothing is scheduled",
    text: "Posts that have a publishing time or wait for approval appear here. Choose Schedule or Ask for approval in the menu of a post.",
  },
  published: {
    title: "Nothing is published yet",
    text: "Posts appear here as soon as a platform has published them. Open a post to publish it.",
  },
  archived: {
    title: "Nothing is archived",
    text: "Posts that you put aside appear here. Choose Archive in the menu of a post; you can restore it at any time.",
  },
};

const groupNouns: Record<PostGroup, string> = {
  draft: "drafts",
  ready: "ready posts",
  scheduled: "scheduled posts",
  published: "published posts",
  archived: "archived posts",
};

/** Why the list is empty, and what to do next. */
export function NoPosts({
  search,
  hasArchivedPosts,
}: {
  search: PostSearch;
  /** Undefined while it loads. */
  hasArchivedPosts: boolean | undefined;
}) {
  const { studio, may } = useStudio();
  const params = { studioId: studio.id };
  const { status, ...otherSearch } = search;
  if (status !== undefined && !isFiltered(otherSearch)) {
    const { title, text } = emptyGroups[status];
    return (
      <EmptyState
        title={title}
        icon={groupIcons[status].icon}
        actions={
          status === "draft" && may("posts.write") ? (
            <ButtonLink variant="secondary" to="/studios/$studioId/posts/new" params={params}>
              Write a post
            </ButtonLink>
          ) : (
            <ButtonLink variant="secondary" to="/studios/$studioId/posts" params={params}>
              Show all posts
            </ButtonLink>
          )
        }
      >
        {text}
      </EmptyState>
    );
  }
  if (isFiltered(search)) {
    return (
      <NoMatch
        noun="posts"
        search={search}
        itemsText={status === undefined ? "posts" : groupNouns[status]}
        clear={
          <ButtonLink variant="secondary" to="/studios/$studioId/posts" params={params}>
            {labelClearButton(search.q, [status, search.author, search.tag, search.archived])}
          </ButtonLink>
        }
      />
    );
  }
  if (hasArchivedPosts === undefined) return null;
  if (hasArchivedPosts) {
    return (
      <EmptyState
        title="Nothing in progress"
        icon={FileText}
        actions={
          <>
            {may("posts.write") && (
              <ButtonLink variant="secondary" to="/studios/$studioId/posts/new" params={params}>
                Write a post
              </ButtonLink>
            )}
            <ButtonLink variant="secondary" to="/studios/$studioId/posts" params={params} search={{ archived: true }}>
              Show archived posts
            </ButtonLink>
          </>
        }
      >
        All posts of this studio are archived.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No posts yet"
      icon={FileText}
      actions={
        <>
          {may("posts.write") && (
            <ButtonLink variant="secondary" to="/studios/$studioId/posts/new" params={params}>
              Write a post
            </ButtonLink>
          )}
          <ButtonLink variant="secondary" to="/studios/$studioId/connect" params={params}>
            Connect an AI client
          </ButtonLink>
        </>
      }
    >
      Write one yourself, or connect an AI client and ask it to draft one. New posts appear here right away.
    </EmptyState>
  );
}
