import { useMemo } from "react";
import { cancelPublication, deletePost, publishPost, updatePost } from "../api/mutations.ts";
import type { PostStatus } from "../api/queries.ts";
import { cancelListRequests, patchSummaries, type PostSummary } from "../api/summary-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { ensureRestored } from "../trash/ensure-restored.ts";
import { getPostUploadsKey, useUploaderRegistry } from "../upload/uploader-registry.tsx";

/** A change of one post that can be undone. */
export interface PostChange {
  /** Sends the change; resolves with the changed post, or with undefined if the change moved it to the trash. */
  apply: (post: PostSummary) => Promise<PostSummary | undefined>;
  /** Returns the post as the lists show it until the server confirms the change; undefined hides the post. */
  preview: (post: PostSummary) => PostSummary | undefined;
  /** Undoes the change. `originalPost` is the post before `apply`, `changedPost` the result of `apply`. */
  revert: (originalPost: PostSummary, changedPost: PostSummary | undefined) => Promise<PostSummary>;
}

export interface PostChanges {
  setStatus: (status: PostStatus) => PostChange;
  addTag: (tag: string) => PostChange;
  removeTag: (tag: string) => PostChange;
  moveToTrash: PostChange;
  /** At the next free slot of each account. */
  scheduleInSlots: (connectionIds: readonly string[]) => PostChange;
  /** Shows these posts, by id, in the lists; undefined removes a post from the lists. */
  show: (posts: ReadonlyMap<string, PostSummary | undefined>) => Promise<void>;
}

/** The changes that lists offer for one post or several. */
export function usePostChanges(): PostChanges {
  const { studio } = useStudio();
  const uploaderRegistry = useUploaderRegistry();
  return useMemo(() => {
    async function update(post: PostSummary, change: Parameters<typeof updatePost>[1]): Promise<PostSummary> {
      const { status, tags, revision, updatedAt } = await updatePost({ studioId: studio.id, postId: post.id }, change);
      return { ...post, status, tags, revision, updatedAt };
    }

    /** Sends the revision, because otherwise the tags would replace a change that another user has just made. */
    const createTagChange = (getTags: (tags: readonly string[]) => string[]): PostChange => ({
      apply: (post) => update(post, { tags: getTags(post.tags), revision: post.revision }),
      preview: (post) => ({ ...post, tags: getTags(post.tags) }),
      revert: (post, changedPost) =>
        update(post, { tags: post.tags, ...(changedPost ? { revision: changedPost.revision } : {}) }),
    });

    return {
      setStatus: (status) => ({
        apply: (post) => update(post, { status }),
        preview: (post) => ({ ...post, status }),
        revert: (originalPost) => update(originalPost, { status: originalPost.status }),
      }),
      addTag: (tag) => createTagChange((tags) => [...tags.filter((other) => other !== tag), tag]),
      removeTag: (tag) => createTagChange((tags) => tags.filter((other) => other !== tag)),
      moveToTrash: {
        apply: async (post) => {
          await deletePost({ studioId: studio.id, postId: post.id });
          uploaderRegistry.discard(getPostUploadsKey(post.id));
          return undefined;
        },
        preview: () => undefined,
        revert: async (originalPost) => {
          await ensureRestored(studio.id, originalPost.id);
          return originalPost;
        },
      },
      scheduleInSlots: (connectionIds) => {
        const publicationIds = new Map<string, readonly string[]>();
        return {
          apply: async (post) => {
            const body = { connectionIds: [...connectionIds], revision: post.revision, at: "next_slot" };
            const { publications } = await publishPost({ studioId: studio.id, postId: post.id }, body);
            publicationIds.set(
              post.id,
              publications.map(({ id }) => id),
            );
            return post;
          },
          preview: (post) => post,
          revert: async (post) => {
            for (const publicationId of publicationIds.get(post.id) ?? [])
              await cancelPublication({ studioId: studio.id, publicationId });
            return post;
          },
        };
      },
      show: async (posts) => {
        await cancelListRequests(studio.id);
        patchSummaries(studio.id, posts);
      },
    };
  }, [studio.id, uploaderRegistry]);
}
