import { useQuery } from "@tanstack/react-query";
import { isNotFound } from "../api/api-error.ts";
import { postQuery, postsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";

/** The most recent posts, loaded once for all rows and filters of a page. */
export function useRecentPosts() {
  const { studio } = useStudio();
  return usePagedList({ ...postsQuery(studio.id, {}), refetchInterval: false, staleTime: 60_000 });
}

/** The title of a post. */
export function usePostTitle(postId: string | undefined): string {
  const { title, isDeleted } = useLoadedTitle(postId);
  return title ?? (isDeleted ? "A deleted post" : "A post");
}

/** The title of a post in quotes, for use in a sentence. */
export function useQuotedPostTitle(postId: string): string {
  const { title } = useLoadedTitle(postId);
  return title === undefined ? "the post" : `“${title}”`;
}

/** Older posts are loaded one by one. */
function useLoadedTitle(postId: string | undefined): { title: string | undefined; isDeleted: boolean } {
  const { studio } = useStudio();
  const { query, items } = useRecentPosts();
  const recentPost = items.find(({ id }) => id === postId);
  const post = useQuery({
    ...postQuery(studio.id, postId ?? ""),
    enabled: postId !== undefined && !query.isPending && !recentPost,
    refetchInterval: false,
    staleTime: 60_000,
    retry: false,
  });
  return { title: recentPost?.title ?? post.data?.title, isDeleted: isNotFound(post.error) };
}
