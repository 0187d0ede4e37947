import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import type { PostSearch } from "../search-params.ts";
import { saveLastPosts } from "./last-posts.ts";

/** Lets the page of a post return to this view, these filters and, right after it, this position. */
export function useSaveLastPosts(studioId: string, search: PostSearch): void {
  const router = useRouter();
  useEffect(() => {
    const getIndex = (): number => router.state.location.state.__TSR_index;
    const historyIndex = getIndex();
    saveLastPosts(studioId, { search, historyIndex });
    return () => {
      // Unless the user goes forward from here, another page takes this entry of the browser's history.
      if (getIndex() <= historyIndex) saveLastPosts(studioId, { search });
    };
  }, [router, studioId, search]);
}
