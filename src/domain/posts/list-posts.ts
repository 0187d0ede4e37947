import { z } from "zod";
import { toAssetView } from "../assets/model/asset.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { pageInput, parseCursor, toPage } from "../page.ts";
import { authorize } from "../policy.ts";
import { text } from "../text.ts";
import { postStatuses, postView, toPostView, type Post } from "./post.ts";
import { normalizeForSearch, searchPosts } from "./search-posts.ts";

export const listPostsInput = z.strictObject({
  status: z.enum(postStatuses).optional().describe("Only posts with this status."),
  query: text(200).optional().describe("Only posts with this text in the title or body; case and accents are ignored."),
  ...pageInput,
});

export const listPostsOutput = z.object({ posts: z.array(postView), nextCursor: z.string().nullable() });

/** Maximum total body length of a page, to bound its size; a page always contains at least one post. */
const maxTextLength = 500_000;

/**
 * Lists a studio's posts, newest first. Cursors stay valid when posts are added or changed.
 * A page of search results can have fewer posts than `limit`, even none, and still have a cursor.
 */
export async function listPosts(
  deps: Pick<Deps, "posts" | "assets" | "base" | "clock" | "searchQueue">,
  caller: Caller,
  input: z.infer<typeof listPostsInput>,
): Promise<z.infer<typeof listPostsOutput>> {
  authorize(caller, "posts.read");
  const query = normalizeForSearch(input.query ?? "", "query");
  const listKey = `posts ${caller.studio.id} ${input.status ?? ""} ${encodeURIComponent(query)}`;
  const filter = { status: input.status, before: parseCursor(input.cursor, listKey), limit: input.limit + 1 };
  const { posts, scannedTo } =
    query === ""
      ? { posts: await deps.posts.list(caller.studio.id, filter), scannedTo: undefined }
      : await searchPosts(deps, caller, { ...filter, query, maxTextLength });
  const { items, nextCursor } = toPage(posts, Math.min(input.limit, countFitting(posts)), listKey, scannedTo);
  const postIdsWithAssets = items.filter((post) => post.assetCount > 0).map((post) => post.id);
  const assetsByPost = Map.groupBy(await deps.assets.listByPosts(postIdsWithAssets), (asset) => asset.postId);
  return {
    posts: items.map((post) => toPostView(deps.base, post, (assetsByPost.get(post.id) ?? []).map(toAssetView))),
    nextCursor,
  };
}

function countFitting(posts: readonly Post[]): number {
  let textLength = 0;
  const firstExcluded = posts.findIndex(({ body }, i) => (textLength += body.length) > maxTextLength && i > 0);
  return firstExcluded < 0 ? posts.length : firstExcluded;
}
