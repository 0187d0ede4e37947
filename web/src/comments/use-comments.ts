import { useEffect } from "react";
import { commentsQuery, type Comment } from "../api/comment-queries.ts";
import { usePagedList, type ListQuery } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";
import { listOpenThreads } from "./group-threads.ts";

interface CommentList extends Pick<ListQuery<Comment>, "query"> {
  /** The comments of all pages, oldest first. */
  comments: readonly Comment[];
}

/** The comments of a post, kept up to date. Loads all pages, because a thread can be spread over several. */
export function useComments(postId: string): CommentList {
  const { studio } = useStudio();
  const { query, items } = usePagedList(commentsQuery(studio.id, postId));
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return { query, comments: items };
}

/** How many threads of a post are not resolved; undefined until its comments have loaded. */
export function useOpenThreadCount(postId: string): number | undefined {
  const { query, comments } = useComments(postId);
  return query.isSuccess ? listOpenThreads(comments).length : undefined;
}
