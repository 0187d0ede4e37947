import { useRef, useState } from "react";
import { updatePost } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction, type ActionState } from "../ui/use-action.ts";

interface PostTags extends Pick<ActionState, "error"> {
  tags: readonly string[];
  save: (tags: readonly string[]) => void;
}

/** Saves a post's tags, one request at a time. Of the changes during a request, only the latest is saved after it. */
export function usePostTags(post: Post, onSaved: (post: Post) => void): PostTags {
  const { studio } = useStudio();
  const { error, run } = useAction();
  const [unsavedTags, setUnsavedTags] = useState<readonly string[]>();
  const [savedPost, setSavedPost] = useState(post);
  const nextTags = useRef<readonly string[] | undefined>(undefined);
  const isSaving = useRef(false);

  async function saveLatestTags(): Promise<void> {
    isSaving.current = true;
    try {
      while (nextTags.current) {
        const tags = [...nextTags.current];
        nextTags.current = undefined;
        const updatedPost = await updatePost(studio.id, post.id, { tags });
        setSavedPost(updatedPost);
        onSaved(updatedPost);
      }
    } finally {
      isSaving.current = false;
      nextTags.current = undefined;
      setUnsavedTags(undefined);
    }
  }

  // A poll that started before a save can return an older post after it.
  const currentPost = savedPost.revision > post.revision ? savedPost : post;
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
