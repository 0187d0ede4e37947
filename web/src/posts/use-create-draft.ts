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

  // In a batch, because the page of the draft does not wait for the lists.
  return (title, search = {}) =>
    inBatch(async () => {
      const idempotencyKey = keys.current.get(title) ?? crypto.randomUUID();
      keys.current.set(title, idempotencyKey);
      const post = await createPost({ studioId: studio.id }, { title, idempotencyKey });
      await navigate({
        to: "/studios/$studioId/posts/$postId",
        params: { studioId: studio.id, postId: post.id },
        search,
        state: { isNewPost: true },
        // Going back leads to where the user came from, not to the empty form.
        replace: isOnFormPage,
      });
    });
}
