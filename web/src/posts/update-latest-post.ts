import { ApiError } from "../api/api-error.ts";
import type { updatePost } from "../api/mutations.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { queryClient } from "../api/query-client.ts";

/**
 * Saves a change that depends on the post's current content. If another user has changed the post meanwhile, computes
 * the change again for their version, so that it does not replace theirs.
 */
export async function updateLatestPost(
  update: typeof updatePost,
  studioId: string,
  post: Post,
  computeChange: (post: Post) => Parameters<typeof updatePost>[1],
): Promise<Post> {
  const { id, revision } = post;
  try {
    return await update({ studioId, postId: id }, { ...computeChange(post), revision });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "revision_conflict") throw error;
    const { queryKey } = postQuery(studioId, id);
    await queryClient.refetchQueries({ queryKey });
    const newPost = queryClient.getQueryData(queryKey);
    if (!newPost || newPost.revision <= revision) throw error;
    return updateLatestPost(update, studioId, newPost, computeChange);
  }
}
