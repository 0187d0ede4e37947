import type { Publication } from "../api/publication-queries.ts";

/** The newest publication for each post and account. `publications` must be sorted, newest first. */
export function listLatest(publications: readonly Publication[]): Publication[] {
  const latest = new Map<string, Publication>();
  for (const publication of publications) {
    const key = `${publication.postId} ${publication.connectionId}`;
    if (!latest.has(key)) latest.set(key, publication);
  }
  return [...latest.values()];
}
