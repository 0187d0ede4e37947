import { useLocation, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { inBatch } from "../api/change.ts";
import { createPost } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { PostPageSearch } from "../search-params.ts";

/** Returns a function that creates a draft and opens it. Without a title, the draft is named after its text. */
export function useCreateDraft(): (
  content: { title: string; body?: string },
  search?: PostPageSearch,
) => Promise<void> {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const isOnFormPage = useLocation().pathname.endsWith("/posts/new");
  // One key per form and content, so that a repeated submission creates one post.
  const keys = useRef(new Map<string, string>());

  return async ({ title: chosenTitle, body = "" }, search = {}) => {
    const title = chosenTitle.trim() || nameAfterText(body);
    const key = JSON.stringify([title, body]);
    const idempotencyKey = keys.current.get(key) ?? crypto.randomUUID();
    keys.current.set(key, idempotencyKey);
    // In a batch, because the draft opens without waiting for the lists.
    const { navigation } = await inBatch(async () => {
      const post = await createPost({ studioId: studio.id }, { title, body, idempotencyKey });
      const to = "/studios/$studioId/posts/$postId";
      const params = { studioId: studio.id, postId: post.id };
      // Going back leads to where the user came from, not to the empty form.
      return { navigation: navigate({ to, params, search, state: { isNewPost: true }, replace: isOnFormPage }) };
    });
    await navigation;
  };
}

/** The first line of the text, or as many of its words as a list shows. */
function nameAfterText(body: string): string {
  const [line = ""] = body.trim().split("\n", 1);
  return (line.length <= 60 ? line.trim() : `${line.slice(0, 60).replace(/\s+\S*$/, "")}…`) || "Untitled post";
}
