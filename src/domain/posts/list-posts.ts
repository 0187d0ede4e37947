import { z } from "zod";
import type { Caller } from "../caller.ts";
import { toAssetView } from "../model/asset.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { excerptLength } from "../model/post-summary.ts";
import { type Post, postStatuses, postView, type PostView, toPostView } from "../model/post.ts";
import { buildSearchText, containsWords, splitQuery } from "../model/search/fold.ts";
import { fuzzyFilter, tagFilter, text } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import type { PostSearchFilter } from "../ports/posts.ts";
import type { SearchSource } from "../ports/search.ts";
import { search } from "../steps/search.ts";

export const listPostsInput = z.strictObject({
  status: z.enum(postStatuses).optional(),
  tag: tagFilter,
  query: text(200)
    .optional()
    .describe("Every word must occur in title, texts, comments or tags; parts of longer words match too."),
  fuzzy: fuzzyFilter,
  includeBody: z.boolean().optional().describe("Return full texts instead of excerpts."),
  ...pageInput,
});

/** A listed post has a body or an excerpt of it. */
const listedPostView = postView.extend({
  body: postView.shape.body.optional(),
  excerpt: z.string().optional(),
});

type ListedPostView = z.infer<typeof listedPostView>;

export const listPostsOutput = z.object({ posts: z.array(listedPostView), nextCursor: z.string().nullable() });

/** Maximum total body length of a page, to bound its size. The first post is included even if it is longer. */
const maxTextLength = 500_000;

/**
 * Lists a studio's posts, newest first. Cursors stay valid when posts are added or changed.
 * A page of search results can have fewer posts than `limit`, even none, and still have a cursor.
 */
export async function listPosts(
  deps: Pick<Deps, "posts" | "assets" | "baseUrl" | "clock" | "searchQueue">,
  caller: Caller,
  input: z.infer<typeof listPostsInput>,
): Promise<z.infer<typeof listPostsOutput>> {
  authorize(caller, "posts.read");
  const { status, tag } = input;
  const terms = { words: splitQuery(input.query ?? ""), tag, allowsTypos: input.fuzzy };
  const isSearch = terms.words.length > 0 || tag !== undefined;
  const listKey = `posts ${caller.studio.id} ${status ?? ""} ${isSearch ? JSON.stringify(terms) : ""}`;
  const range = { before: parseCursor(input.cursor, listKey), limit: input.limit + 1 };
  const isPageFull = (posts: readonly Post[]): boolean => countPostsWithinTextLimit(posts) < posts.length;
  const { items: posts, scannedTo } = isSearch
    ? await search(deps, caller, {
        source: deps.posts.search,
        terms,
        filter: { statuses: status && [status] },
        ...range,
        isPageFull,
      })
    : await deps.posts.list(caller.studio.id, { status, ...range, maxTextLength });
  const { items, nextCursor } = toPage(
    posts,
    isSearch ? Math.min(input.limit, countPostsWithinTextLimit(posts)) : input.limit,
    listKey,
    scannedTo,
  );
  const postIdsWithAssets = items.filter((post) => post.assetCount > 0).map((post) => post.id);
  const assetsByPost = Map.groupBy(await deps.assets.listByPosts(postIdsWithAssets), (asset) => asset.postId);
  return {
    posts: items.map((post) => {
      const view = toPostView(deps.baseUrl, post, (assetsByPost.get(post.id) ?? []).map(toAssetView));
      return input.includeBody ? view : toExcerptView(view);
    }),
    nextCursor,
  };
}

function toExcerptView({ id: postId, title, body, ...view }: PostView): ListedPostView {
  return { id: postId, title, excerpt: createExcerpt(body), ...view };
}

/** The beginning of a text, without half of a surrogate pair at its end. */
const createExcerpt = (body: string): string => body.slice(0, excerptLength).replace(/[\ud800-\udbff]$/, "");

const getTextLength = ({ body, variants }: Post): number =>
  variants.reduce((length, variant) => length + (variant.body?.length ?? 0), body.length);

function countPostsWithinTextLimit(posts: readonly Post[]): number {
  let textLength = 0;
  const firstExcluded = posts.findIndex((post, i) => (textLength += getTextLength(post)) > maxTextLength && i > 0);
  return firstExcluded < 0 ? posts.length : firstExcluded;
}

/** Far more than the texts of real posts, of which only the ids are needed. */
const maxTitleSearchLength = 5_000_000;

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
      ? await deps.posts.list(caller.studio.id, { limit: limit + 1, maxTextLength: maxTitleSearchLength })
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

/** Posts with the words only in other texts or the tags do not count toward the limit of the search. */
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
