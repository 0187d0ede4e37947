import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { buildSearchText, containsWords, splitQuery } from "../model/search/fold.ts";
import type { SearchSource } from "../ports/search.ts";
import { search } from "../steps/search.ts";
import type { PostSearchFilter } from "../ports/posts.ts";

/** Far more than the texts of real posts, of which only the ids are needed. */
const maxTextLength = 5_000_000;

/** Finds posts whose title contains all words of the query, newest first. Without words, it finds every post. */
export async function findPostsByTitle(
  deps: Pick<Deps, "posts" | "clock" | "searchQueue">,
  caller: Caller,
  { query, limit }: { query: string; limit: number },
): Promise<{ postIds: string[]; hasMore: boolean }> {
  authorize(caller, "posts.read");
  const words = splitQuery(query);
  const { items, scannedTo } =
    words.length === 0
      ? await deps.posts.list(caller.studio.id, { limit: limit + 1, maxTextLength })
      : await search(deps, caller, {
          source: createTitleSource(deps),
          terms: { words, tag: undefined },
          filter: {},
          before: undefined,
          limit: limit + 1,
        });
  return {
    postIds: items.slice(0, limit).map(({ id }) => id),
    hasMore: items.length > limit || scannedTo !== undefined,
  };
}

/** Posts with the words only in the body or the tags do not count toward the limit of the search. */
function createTitleSource({ posts }: Pick<Deps, "posts">): SearchSource<{ id: string }, PostSearchFilter> {
  return {
    ...posts.search,
    async findMatches(studioId, ids, filter, terms) {
      const matches = await posts.search.findMatches(studioId, ids, filter, terms);
      // Only the ids, because the texts of a whole page may be large.
      return matches
        .filter(({ title }) => containsWords(buildSearchText([title], []), terms.words))
        .map(({ id }) => ({ id }));
    },
  };
}
