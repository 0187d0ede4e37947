import { Link } from "@tanstack/react-router";
import { FileText, SearchX } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import type { PostSearch } from "../search-params.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { describeNoMatch } from "../ui/describe-no-match.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { isFiltered } from "./use-archived-posts.ts";

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
  if (isFiltered(search)) {
    return (
      <EmptyState
        title="No matching posts"
        icon={SearchX}
        actions={
          <Link to="/studios/$studioId/posts" params={params}>
            Show all posts
          </Link>
        }
      >
        {describeNoMatch("posts", search) ?? "No posts match these filters."}
      </EmptyState>
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
              <ButtonLink to="/studios/$studioId/posts/new" params={params}>
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
            <ButtonLink to="/studios/$studioId/posts/new" params={params}>
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
