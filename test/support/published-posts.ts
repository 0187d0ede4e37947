import type { Database } from "#db/database.ts";
import type { Caller } from "#domain/caller.ts";
import { hours } from "#lib/clock.ts";
import type { TestDeps } from "./engines.ts";
import { newPublication } from "./publishing-fixture.ts";

export interface PublishedPost {
  publicationId: string;
  postId: string;
  remoteId: string;
  publishedAt: number;
}

/** Stores published posts of one account, without calling a platform, and plans their first reading. */
export async function insertPublishedPosts(
  { deps, database: { q } }: { deps: TestDeps; database: Database },
  owner: Caller,
  connectionId: string,
  posts: readonly { publishedAt: number; title?: string; tags?: readonly string[] }[],
): Promise<PublishedPost[]> {
  const templateId = await newPublication(deps, owner, "failed");
  const publication = await q
    .selectFrom("publications")
    .selectAll()
    .where("id", "=", templateId)
    .executeTakeFirstOrThrow();
  const post = await q.selectFrom("posts").selectAll().where("id", "=", publication.postId).executeTakeFirstOrThrow();
  const state = "published" as const;
  const rows = posts.map(({ publishedAt, title = "Title", tags = [] }) => {
    const id = deps.newId("publication");
    const postRow = { ...post, id: deps.newId("post"), title, tags: [...tags] };
    return {
      postRow,
      publicationRow: {
        ...publication,
        id,
        postId: postRow.id,
        connectionId,
        remoteId: id,
        publishedAt,
        state,
        commitKey: id,
      },
    };
  });
  for (let from = 0; from < rows.length; from += 100) {
    const chunk = rows.slice(from, from + 100);
    const readings = chunk.map(({ publicationRow: { id, publishedAt } }) => ({
      ...{ publicationId: id, connectionId, publishedAt },
      ...{ dueAt: publishedAt + hours(1), refreshedAt: null },
    }));
    await q
      .insertInto("posts")
      .values(chunk.map(({ postRow }) => postRow))
      .execute();
    await q
      .insertInto("publications")
      .values(chunk.map(({ publicationRow }) => publicationRow))
      .execute();
    await q.insertInto("resultReadings").values(readings).execute();
  }
  return rows.map(({ publicationRow: { id, postId, publishedAt } }) => ({
    ...{ publicationId: id, postId, remoteId: id, publishedAt },
  }));
}
