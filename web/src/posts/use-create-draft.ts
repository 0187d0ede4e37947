import { useLocation, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { inBatch } from "../api/change.ts";
import { createPost } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostPageSearch } from "../search-params.ts";

/** Returns a function that creates a draft and opens it. */
export function useCreateDraft(): (title: string, search?: PostPageSearch) => Promise<void> {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const isOnFormPage = useLocation().pathname.endsWith("/posts/new");
  // One key per form and title, so that a repeated submission creates one post.
  const keys = useRef(new Map<string, string>());

  return async (title, search = {}) => {
    const idempotencyKey = keys.current.get(title) ?? crypto.randomUUID();
    keys.current.set(title, idempotencyKey);
    // In a batch, because the draft opens without waiting for the lists.
    const { navigation } = await inBatch(async () => {
      const post = await createPost({ studioId: studio.id }, { title, idempotencyKey });
      const to = "/studios/$studioId/posts/$postId";
      const params = { studioId: studio.id, postId: post.id };
      // Going back leads to where the user came from, not to the empty form.
      return { navigation: navigate({ to, params, search, state: { isNewPost: true }, replace: isOnFormPage }) };
    });
    await navigation;
  };
}
