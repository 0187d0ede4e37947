import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { updatePost } from "../api/mutations.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction, type ActionState } from "../ui/use-action.ts";

interface PostTags extends Pick<ActionState, "error"> {
  tags: readonly string[];
  save: (tags: readonly string[]) => void;
}

/** Saves a post's tags, one request at a time. Of the changes during a request, only the latest is saved after it. */
export function usePostTags(post: Post, onSaved: (post: Post) => void): PostTags {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const { error, run } = useAction();
  const [unsavedTags, setUnsavedTags] = useState<readonly string[]>();
  const [savedPost, setSavedPost] = useState(post);
  const nextTags = useRef<readonly string[] | undefined>(undefined);
  const isSaving = useRef(false);
  // A poll that started before a save can return an older post after it.
  const currentPost = savedPost.revision > post.revision ? savedPost : post;

  /** Sends the revision, because otherwise the tags would replace a change that another user has just made. */
  async function send(latestPost: Post, before: readonly string[], after: readonly string[]): Promise<Post> {
    const { revision } = latestPost;
    try {
      return await updatePost(studio.id, post.id, { tags: applyChange(latestPost.tags, before, after), revision });
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.code !== "revision_conflict") throw failure;
      const { queryKey } = postQuery(studio.id, post.id);
      await queryClient.refetchQueries({ queryKey });
      const newPost = queryClient.getQueryData(queryKey);
      if (!newPost || newPost.revision <= revision) throw failure;
      return send(newPost, before, after);
    }
  }

  async function saveLatestTags(): Promise<void> {
    isSaving.current = true;
    let latestPost = currentPost;
    let shownTags: readonly string[] = currentPost.tags;
    try {
      while (nextTags.current) {
        const tags = nextTags.current;
        nextTags.current = undefined;
        latestPost = await send(latestPost, shownTags, tags);
        shownTags = tags;
        setSavedPost(latestPost);
        onSaved(latestPost);
      }
    } finally {
      isSaving.current = false;
      nextTags.current = undefined;
      setUnsavedTags(undefined);
    }
  }

  return {
    tags: unsavedTags ?? currentPost.tags,
    error,
    save: (tags) => {
      nextTags.current = tags;
      setUnsavedTags(tags);
      if (!isSaving.current) void run(saveLatestTags);
    },
  };
}

/** Adds and removes the tags that the user added and removed. */
const applyChange = (tags: readonly string[], before: readonly string[], after: readonly string[]): string[] => [
  ...tags.filter((tag) => after.includes(tag) || !before.includes(tag)),
  ...after.filter((tag) => !before.includes(tag) && !tags.includes(tag)),
];
