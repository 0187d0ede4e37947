import { useQuery } from "@tanstack/react-query";
import { postQuery, postsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";

/** The most recent posts, loaded once for all rows and filters of a page. */
export function useRecentPosts() {
  const { studio } = useStudio();
  return usePagedList({ ...postsQuery(studio.id, {}), staleTime: 60_000 });
}

/** The title of a post in quotes, for use in a sentence. Older posts are loaded one by one. */
export function useQuotedPostTitle(postId: string): string {
  const { studio } = useStudio();
  const { query, items } = useRecentPosts();
  const recentPost = items.find(({ id }) => id === postId);
  const post = useQuery({
    ...postQuery(studio.id, postId),
    enabled: !query.isPending && !recentPost,
    staleTime: 60_000,
    retry: false,
  });
  const title = recentPost?.title ?? post.data?.title;
  return title === undefined ? "the post" : `“${title}”`;
}
