import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import type { PostSearch } from "../search-params.ts";
import { saveLastPosts } from "./last-posts.ts";

/**
 * Lets the page of a post lead back to this view and these filters and, if it was opened directly from here, to this
 * scroll position.
 */
export function useSaveLastPosts(studioId: string, search: PostSearch): void {
  const router = useRouter();
  useEffect(() => {
    const getIndex = (): number => router.state.location.state.__TSR_index;
    const historyIndex = getIndex();
    saveLastPosts(studioId, { search, historyIndex });
    return () => {
      // If the user did not go forward from here, another page may replace this entry of the browser's history.
      if (getIndex() <= historyIndex) saveLastPosts(studioId, { search });
    };
  }, [router, studioId, search]);
}
