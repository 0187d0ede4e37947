import type { Database } from "#db/database.ts";
import { saveTokens } from "#db/search-index.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { PostStatus } from "#domain/model/post.ts";

/** `foldForSearch` expands U+2057 to four U+2032. Both characters take three bytes in UTF-8. */
const hostileBody = "\u2057".repeat(99_000);

/** Every hostile post has all tokens of this query, but none contains the query itself. */
export const almostMatchingQuery = "\u2032\u2032\u2032b";

export interface PostContent {
  title: string;
  status?: PostStatus;
  /** Adds a text of almost the maximum length that almost matches `almostMatchingQuery`. */
  isHostile?: boolean;
  /** If false, the post is not in the search index, like a post that an older version created. */
  isIndexed?: boolean;
}

/** Inserts rows directly, because creating a thousand posts with the verb would take minutes. Returns their ids. */
export async function insertPosts(
  { database, deps }: { database: Database; deps: Deps },
  { studio, user }: Pick<Caller, "studio" | "user">,
  count: number,
  createContent: (i: number) => PostContent,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => deps.newId("post"));
  const now = deps.clock();
  await database.transact(async (connection) => {
    for (const [i, id] of ids.entries()) {
      const { title, status = "draft", isHostile = false, isIndexed = true } = createContent(i);
      const searchText = `${title.toLowerCase()}${isHostile ? ` \u2032\u2032b ${"\u2032".repeat(199_000)}` : ""}`;
      await connection.q
        .insertInto("posts")
        .values({
          id,
          studioId: studio.id,
          title,
          body: isHostile ? hostileBody : "",
          status,
          revision: 1,
          searchText: isIndexed ? searchText : "",
          searchIndexed: isIndexed,
          createdBy: user.id,
          createdAt: now,
          updatedAt: now,
        })
        .execute();
      if (isIndexed) await saveTokens(connection, "posts", { id, studioId: studio.id, searchText, tags: [] }, true);
    }
  });
  return ids;
}
