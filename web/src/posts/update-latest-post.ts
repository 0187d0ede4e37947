import type { QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.ts";
import { updatePost } from "../api/mutations.ts";
import { postQuery, type Post } from "../api/queries.ts";

/**
 * Saves a change that depends on the post's current content. If another user has changed the post meanwhile, computes
 * the change again for their version, so that it does not replace theirs.
 */
export async function updateLatestPost(
  queryClient: QueryClient,
  studioId: string,
  post: Post,
  computeChange: (post: Post) => Parameters<typeof updatePost>[2],
): Promise<Post> {
  const { id, revision } = post;
  try {
    return await updatePost(studioId, id, { ...computeChange(post), revision });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "revision_conflict") throw error;
    const { queryKey } = postQuery(studioId, id);
    await queryClient.refetchQueries({ queryKey });
    const newPost = queryClient.getQueryData(queryKey);
    if (!newPost || newPost.revision <= revision) throw error;
    return updateLatestPost(queryClient, studioId, newPost, computeChange);
  }
}
