import { useRef, useState } from "react";
import { saveEdit } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useAction, type ActionState } from "../ui/use-action.ts";
import { updateLatestPost } from "./update-latest-post.ts";

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
  // A request that started before a save can return an older post after it.
  const currentPost = savedPost.revision > post.revision ? savedPost : post;

  async function saveLatestTags(): Promise<void> {
    isSaving.current = true;
    let latestPost = currentPost;
    let shownTags: readonly string[] = currentPost.tags;
    try {
      while (nextTags.current) {
        const tags = nextTags.current;
        nextTags.current = undefined;
        const before = shownTags;
        latestPost = await updateLatestPost(saveEdit, studio.id, latestPost, (newestPost) => ({
          tags: applyChange(newestPost.tags, before, tags),
        }));
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
