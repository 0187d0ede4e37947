import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createPost } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostPageSearch } from "../search-params.ts";

/** Returns a function that creates a draft and opens it. */
export function useCreateDraft(): (title: string, search?: PostPageSearch) => Promise<void> {
  const { studio } = useStudio();
  const navigate = useNavigate();
  // One key per form, so that a repeated submission creates one post.
  const [key] = useState(() => crypto.randomUUID());

  return async (title, search = {}) => {
    const post = await createPost(studio.id, { title, idempotencyKey: `${key} ${title}`.slice(0, 200) });
    await navigate({
      to: "/studios/$studioId/posts/$postId",
      params: { studioId: studio.id, postId: post.id },
      search,
      state: { isNewPost: true },
    });
  };
}
