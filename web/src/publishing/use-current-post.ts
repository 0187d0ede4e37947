import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { postQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";

interface CurrentPost {
  query: UseQueryResult<Post>;
  /** Undefined until the post has been loaded since the component was mounted. */
  post: Post | undefined;
}

/** Loads a post and ignores the cache, which may contain an older revision. */
export function useCurrentPost(postId: string): CurrentPost {
  const { studio } = useStudio();
  const query = useQuery({ ...postQuery(studio.id, postId), staleTime: 0 });
  // `isFetchedAfterMount` would also be true after a failed request.
  const [cachedAt] = useState(query.dataUpdatedAt);
  return { query, post: query.dataUpdatedAt === cachedAt ? undefined : query.data };
}
