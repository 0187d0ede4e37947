import { z } from "zod";
import type { Caller } from "../caller.ts";
import { type Page, pageInput, parseCursor, parseTimeCursor, toPage, toTimePage } from "../model/page.ts";
import type { PostMatch, PostSummaryView } from "../model/post-summary.ts";
import { type Post, postStages, type PostStatus, postStatuses } from "../model/post.ts";
import { postReviewStates } from "../model/review.ts";
import { buildSearchText, containsWords, splitQuery } from "../model/search/fold.ts";
import { createMatchExcerpt } from "../model/search/match-excerpt.ts";
import { findWordLike } from "../model/search/typos.ts";
import { fuzzyFilter, tagFilter, text } from "../model/text.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { toPostSummaryView } from "../steps/describe-post.ts";
import type { SearchTerms } from "../ports/search.ts";
import { search } from "../steps/search.ts";

const activeStatuses: readonly PostStatus[] = ["draft", "ready"];
/** How long a page may spend on excerpts of matches; later posts get none. Crafted texts could block the process. */
const maxExcerptMs = 100;

/** A search has no count, because it compares the text of every post. */
export const countPostsInput = z.strictObject({
  /** Separated by commas. By default, archived posts are left out. */
  status: z
    .string()
    .max(100)
    .transform((list) => [...new Set(list.split(","))].toSorted())
    .pipe(z.array(z.enum(postStatuses)))
    .optional(),
  /** The id of the user who created the post, or for whom an AI client created it. */
  author: text(100).optional(),
  stage: z.enum(postStages).optional(),
  /** What guests of review links decided. */
  review: z.enum(postReviewStates).optional(),
});

export const listPostSummariesInput = countPostsInput
  .extend({
    tag: tagFilter,
    query: text(200).optional(),
    fuzzy: fuzzyFilter,
    /** `soonest`: by the earliest planned time, those without a time first. By default, newest first. */
    order: z.enum(["newest", "soonest"]).optional(),
    ...pageInput,
  })
  .refine(
    ({ order, stage, review, query, tag }) =>
      order !== "soonest" || (stage === "scheduled" && !review && !query && !tag),
    { path: ["order"], error: "newest, unless stage is scheduled and there is no query, no tag and no review" },
  );

/**
 * Lists posts for the web app, with thumbnails, names, the state of their publications and an excerpt of the text; in a
 * search, also the part of the text that matches. A page of search results can have fewer posts than `limit`, even none,
 * and still have a cursor.
 */
export async function listPostSummaries(
  deps: Pick<Deps, "posts" | "postSummaries" | "comments" | "searchQueue" | "signer" | "clock" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof listPostSummariesInput>,
): Promise<{ posts: PostSummaryView[]; nextCursor: string | null }> {
  authorize(caller, "posts.read");
  const { tag, author: createdBy, stage, order, limit } = input;
  const review = input.review && { state: input.review, now: deps.clock() };
  const statuses = input.status ?? activeStatuses;
  const terms = { words: splitQuery(input.query ?? ""), tag, allowsTypos: input.fuzzy };
  const isSearch = terms.words.length > 0 || tag !== undefined;
  const listKey = `post summaries ${JSON.stringify([caller.studio.id, statuses, createdBy, stage, input.review, order, isSearch && terms])}`;
  const filter = { statuses, createdBy, stage, review };

  async function findPage(): Promise<Page<Pick<Post, "id"> | Post>> {
    if (order === "soonest") {
      const after = parseTimeCursor(input.cursor, listKey);
      const rows = await deps.postSummaries.listScheduledIds(caller.studio.id, { ...filter, after, limit: limit + 1 });
      return toTimePage(rows, limit, listKey, ({ at }) => at);
    }
    const range = { before: parseCursor(input.cursor, listKey), limit: limit + 1 };
    if (!isSearch)
      return toPage(await deps.postSummaries.listIds(caller.studio.id, { ...filter, ...range }), limit, listKey);
    const searchResult = await search(deps, caller, { source: deps.posts.search, terms, filter, ...range });
    return toPage(searchResult.items, limit, listKey, searchResult.scannedTo);
  }

  // The cursor is created before the posts are read, so that a post that just moved to the trash does not end the list.
  const { items, nextCursor } = await findPage();
  const posts = await deps.postSummaries.listByIds(
    caller.studio.id,
    items.map((post) => post.id),
    deps.clock(),
  );
  const excerptDeadline = performance.now() + maxExcerptMs;
  const matches = new Map<string, PostMatch>();
  for (const item of items) {
    if (!("body" in item) || terms.words.length === 0 || performance.now() >= excerptDeadline) continue;
    const match = await findMatch(deps, item, terms);
    if (match) matches.set(item.id, match);
  }
  return {
    posts: posts.map((post) => {
      const match = matches.get(post.id);
      return { ...toPostSummaryView(deps, post), ...(match && { match }) };
    }),
    nextCursor,
  };
}

/** How many of the newest comments are searched for the words that the texts of a post do not contain. */
const maxSearchedComments = 100;

async function findMatch(
  { comments }: Pick<Deps, "comments">,
  { id, title, body, variants, tags }: Post,
  { words, allowsTypos = false }: SearchTerms,
): Promise<PostMatch | undefined> {
  const find = (source: PostMatch["source"], texts: readonly string[]): PostMatch | undefined => {
    for (const sourceText of texts) {
      const searchText = allowsTypos ? buildSearchText([title, sourceText], []) : "";
      const shownWords = allowsTypos
        ? words.map((word) => (searchText.includes(word) ? word : (findWordLike(searchText, word) ?? word)))
        : words;
      const match = createMatchExcerpt(title, sourceText, shownWords);
      if (match) return { ...match, source };
    }
    return undefined;
  };
  const accountTexts = variants.flatMap((variant) => variant.body ?? []);
  const match = find("text", [body]) ?? find("account", accountTexts);
  if (match || containsWords(buildSearchText([title], tags), words, allowsTypos)) return match;
  const newestComments = await comments.listNewest(id, maxSearchedComments);
  return find(
    "comment",
    newestComments.map((comment) => comment.body),
  );
}

/** A board needs no larger number, and a count should end early in a large studio. */
const maxPostCount = 1000;

interface PostCount {
  count: number;
  /** Whether there are more posts than `count`. */
  isTruncated: boolean;
}

/** Counts the posts that `listPostSummaries` lists with the same filter. */
export async function countPosts(
  deps: Pick<Deps, "postSummaries" | "clock">,
  caller: Caller,
  input: z.infer<typeof countPostsInput>,
): Promise<PostCount> {
  authorize(caller, "posts.read");
  const { status: statuses = activeStatuses, author: createdBy, stage } = input;
  const review = input.review && { state: input.review, now: deps.clock() };
  const limit = maxPostCount + 1;
  const count = await deps.postSummaries.count(caller.studio.id, { statuses, createdBy, stage, review, limit });
  return { count: Math.min(count, maxPostCount), isTruncated: count > maxPostCount };
}
