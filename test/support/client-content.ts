import { sql } from "kysely";
import { minutes } from "#lib/clock.ts";
import type { Fixture } from "./engines.ts";
import { numbers } from "./fill-studio.ts";
import type { ClientCaller } from "./history-fixture.ts";
import { insertPosts } from "./hostile-posts.ts";

type Target = Pick<Fixture, "database" | "deps">;

/**
 * Inserts posts that an AI client created, directly, because creating them with the verb would take minutes. The first
 * has `revisionCount` revisions. Returns its id.
 */
export async function addClientPosts(
  target: Target,
  client: ClientCaller,
  postCount: number,
  revisionCount: number,
): Promise<string> {
  const { q } = target.database;
  const [firstId = ""] = await insertPosts(target, client, postCount, (i) => ({ title: `Post ${i}` }));
  await q.updateTable("posts").set({ revision: revisionCount }).where("id", "=", firstId).execute();
  await sql`INSERT INTO post_revisions
      (post_id, revision, studio_id, at, user_id, grant_id, client_id, client_name, title, body, status, trashed,
       assets_revision, title_changed, body_changed, status_changed, assets_changed, trashed_changed)
    SELECT p.id, r.n, p.studio_id, p.created_at, p.created_by, CAST(${client.grantId} AS TEXT),
           CAST(${client.client.id} AS TEXT), 'Claude', p.title, p.body, 'draft', 0, 1, 1, 1, 0, 0, 0
      FROM posts p JOIN ${numbers(revisionCount)} r ON r.n <= p.revision WHERE p.studio_id = ${client.studio.id}`.execute(
    q,
  );
  return firstId;
}

/** Schedules a publication of each post to the account, one per minute, requested by the client, long after the test. */
export async function addClientPublications(
  { database, deps }: Target,
  client: ClientCaller,
  connectionId: string,
): Promise<void> {
  const posts = await database.q
    .selectFrom("posts")
    .select("id")
    .where("studioId", "=", client.studio.id)
    .where("trashedAt", "is", null)
    .execute();
  const firstTime = Date.UTC(2286, 10, 1);
  await database.transact(async ({ q }) => {
    for (let i = 0; i < posts.length; i += 100)
      await q
        .insertInto("publications")
        .values(
          posts.slice(i, i + 100).map(({ id: postId }, j) => ({
            id: deps.newId("publication"),
            studioId: client.studio.id,
            postId,
            connectionId,
            createdAt: deps.clock(),
            requestedBy: client.user.id,
            requestedClientId: client.client.id,
            requestedClientName: client.client.name,
            state: "scheduled" as const,
            includesTitle: true,
            revision: 1,
            digest: "d",
            scheduledFor: firstTime + minutes(i + j),
            dueAt: firstTime + minutes(i + j),
            nextRunAt: firstTime + minutes(i + j),
          })),
        )
        .execute();
  });
}
