import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { parsePostSearch, type PostSearch } from "../search-params.ts";

/** The view and filters of the posts page that the user saw last in this browser tab. */
interface LastPostsView {
  search: PostSearch;
  /** The position of the posts page in the tab's history; undefined if another page may have replaced it there. */
  historyIndex?: number | undefined;
}

const getStorageKey = (studioId: string): string => `last-posts ${studioId}`;

function saveLastPostsView(studioId: string, lastPostsView: LastPostsView): void {
  sessionStorage.setItem(getStorageKey(studioId), JSON.stringify(lastPostsView));
}

/** Returns the list without filters if the user has not seen the posts page in this tab. */
export function readLastPostsView(studioId: string): LastPostsView {
  const json = sessionStorage.getItem(getStorageKey(studioId));
  if (json === null) return { search: {} };
  const { search, historyIndex } = JSON.parse(json) as LastPostsView;
  // An older version of the web app may have saved other parameters.
  return { search: parsePostSearch({ ...search }), historyIndex };
}

/**
 * Lets the page of a post lead back to this view and these filters and, if it was opened directly from here, to this
 * scroll position.
 */
export function useSaveLastPostsView(studioId: string, search: PostSearch): void {
  const router = useRouter();
  useEffect(() => {
    const getIndex = (): number => router.state.location.state.__TSR_index;
    const historyIndex = getIndex();
    saveLastPostsView(studioId, { search, historyIndex });
    return () => {
      // If the user did not go forward from here, another page may replace this entry of the browser's history.
      if (getIndex() <= historyIndex) saveLastPostsView(studioId, { search });
    };
  }, [router, studioId, search]);
}

export function hasPostFilter({ status, archived, author, q, tag, accounts }: PostSearch): boolean {
  return [status, archived, author, q, tag, accounts].some((value) => value !== undefined);
}
