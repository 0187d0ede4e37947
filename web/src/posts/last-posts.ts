import { parsePostSearch, type PostSearch } from "../search-params.ts";

interface LastPosts {
  search: PostSearch;
  /** Where the posts page is in the history of the browser tab; undefined if another page may have taken its place. */
  historyIndex?: number | undefined;
}

const getStorageKey = (studioId: string): string => `last-posts ${studioId}`;

/** Keeps view and filters of the posts page for this browser tab, so that the user can return to them from a post. */
export function saveLastPosts(studioId: string, lastPosts: LastPosts): void {
  sessionStorage.setItem(getStorageKey(studioId), JSON.stringify(lastPosts));
}

/** The list without filters if the user has not seen the posts page in this tab. */
export function readLastPosts(studioId: string): LastPosts {
  const json = sessionStorage.getItem(getStorageKey(studioId));
  if (json === null) return { search: {} };
  const { search, historyIndex } = JSON.parse(json) as LastPosts;
  // An older version of the web app may have saved other parameters.
  return { search: parsePostSearch({ ...search }), historyIndex };
}

export function hasPostFilter({ status, archived, author, q, tag, accounts }: PostSearch): boolean {
  return [status, archived, author, q, tag, accounts].some((value) => value !== undefined);
}
