import type { McpSession, SubscribedPosts, SubscriptionStore, TokenAccess } from "#domain/ports/subscriptions.ts";
import { sha256 } from "#lib/digest.ts";
import { deleteRows, listStatement, statement, updateRows, type Connection } from "./database.ts";
import { memberStudioSql } from "./authority.ts";
import { isNotCanceledSql } from "./publication-rows.ts";

/** On SQLite, a statement runs in the event loop, and a post can have many publications. */
const postsPerStatement = { sqlite: 20, postgres: Infinity } as const;

interface VersionRow {
  id: string;
  studioId: string;
  revision: number;
  trashedAt: number | null;
  publications: string | null;
  newestPublication: string | null;
  assets: string | null;
}
/**
 * All visible changes of an asset increase its `change_count`, except the first inspection of its image. A canceled
 * publication no longer changes; the newest id shows that one was added and canceled since the last check.
 */
const versionsQuery = listStatement<VersionRow>(
  (postIds) => `SELECT p.id, p.studio_id, p.revision, p.trashed_at,
      (SELECT string_agg(u.id || ':' || u.state || ':' || u.revision || ':' || COALESCE(u.scheduled_for, 0) || ':' ||
                COALESCE(u.approved_by, '') || ':' || COALESCE(u.url, '') || ':' || COALESCE(u.problem_code, '') || ':' ||
                COALESCE(u.problem_message, ''),
                ',' ORDER BY u.id)
         FROM publications u WHERE u.post_id = p.id AND ${isNotCanceledSql("u")}) AS publications,
      (SELECT MAX(u.id) FROM publications u WHERE u.post_id = p.id) AS newest_publication,
      (SELECT string_agg(a.id || ':' || a.status || ':' || a.change_count || ':' ||
                CASE WHEN i.asset_id IS NULL THEN '' ELSE 'inspected' END,
                ',' ORDER BY a.position)
         FROM assets a LEFT JOIN image_inspections i ON i.asset_id = a.id WHERE a.post_id = p.id) AS assets
    FROM posts p WHERE p.id IN ${postIds}`,
);

/** A separate query, because the posts of a studio share its connections. */
const connectionsQuery = listStatement<{ studioId: string; connections: string }>(
  (studioIds) => `SELECT studio_id,
      string_agg(id || ':' || COALESCE(handle, name, '') || ':' || COALESCE(limits, ''), ',' ORDER BY id) AS connections
    FROM platform_connections WHERE state = 'connected' AND studio_id IN ${studioIds} GROUP BY studio_id`,
);

const accessQuery = listStatement<{
  idHash: string;
  expiresAt: number;
  grantStudioId: string | null;
  studioId: string;
}>(
  (tokenHashes) => `SELECT r.id_hash, r.expires_at, m.studio_id, ${memberStudioSql("g.studio_id")} AS grant_studio_id
     FROM oauth_records r
     JOIN grants g ON g.id = r.grant_id AND g.revoked_at IS NULL
     JOIN users u ON u.id = g.user_id AND u.disabled_at IS NULL
     JOIN memberships m ON m.user_id = u.id
    WHERE r.model = 'AccessToken' AND r.id_hash IN ${tokenHashes} AND r.audience = $2 AND r.expires_at > $3`,
);

const sessionsQuery = listStatement<{ idHash: string; streamId: string | null; posts: string }>(
  (idHashes) => `SELECT id_hash, stream_id, posts FROM mcp_sessions WHERE id_hash IN ${idHashes}`,
);

const commitMarkerQuery = statement<{ dataVersion: number }>("SELECT NULL AS data_version", {
  sqlite: "SELECT data_version FROM pragma_data_version",
});

/** A client that starts more sessions loses the subscriptions of the oldest ones. */
const maxSessionsPerGrant = 100;

export function createSubscriptionStore({ engine, q, run, notify }: Connection): SubscriptionStore {
  const upsertSession = async (session: McpSession, streamId: string | undefined): Promise<SubscribedPosts> => {
    const { idHash, grantId, expiresAt } = session;
    const stream = streamId === undefined ? {} : { streamId };
    const { posts } = await q
      .insertInto("mcpSessions")
      .values({ idHash, grantId, streamId: null, posts: "{}", expiresAt, ...stream })
      .onConflict((conflict) => conflict.column("idHash").doUpdateSet({ expiresAt, ...stream }))
      .returning("posts")
      .executeTakeFirstOrThrow();
    await deleteRows(q, "mcpSessions", { grantId })
      .where("idHash", "!=", idHash)
      .where("idHash", "not in", (sessions) =>
        sessions
          .selectFrom("mcpSessions")
          .select("idHash")
          .where("grantId", "=", grantId)
          .orderBy("expiresAt", "desc")
          .limit(maxSessionsPerGrant),
      )
      .execute();
    return toPosts(posts);
  };
  return {
    async findVersions(postIds) {
      const rows: VersionRow[] = [];
      const size = postsPerStatement[engine];
      for (let from = 0; from < postIds.length; from += size)
        rows.push(...(await run(versionsQuery, [postIds.slice(from, from + size)])));
      const studioIds = [...new Set(rows.map((row) => row.studioId))];
      const connectionRows = studioIds.length === 0 ? [] : await run(connectionsQuery, [studioIds]);
      const connectionsByStudio = new Map(connectionRows.map((row) => [row.studioId, row.connections]));
      return new Map(
        rows.map(({ id, studioId, revision, trashedAt, publications, newestPublication, assets }) => {
          const details = [publications, newestPublication, assets, connectionsByStudio.get(studioId) ?? null];
          const digest = details.every((detail) => detail === null)
            ? ""
            : `:${sha256(JSON.stringify(details)).slice(0, 16)}`;
          return [id, { studioId, isTrashed: trashedAt !== null, version: `${revision}${digest}` }];
        }),
      );
    },
    async findAccess(tokenHashes, audience, now) {
      const accessByToken = new Map<string, TokenAccess & { studioIds: Set<string> }>();
      for (const row of await run(accessQuery, [tokenHashes, audience, now])) {
        const { idHash: tokenHash, expiresAt, grantStudioId } = row;
        const access = accessByToken.get(tokenHash) ?? { expiresAt, grantStudioId, studioIds: new Set() };
        access.studioIds.add(row.studioId);
        accessByToken.set(tokenHash, access);
      }
      return accessByToken;
    },
    async getCommitMarker() {
      if (engine === "postgres") return undefined;
      return (await run(commitMarkerQuery, []))[0]?.dataVersion;
    },
    async openStream(session, streamId) {
      const posts = await upsertSession(session, streamId);
      await notify("changes", `session:${session.idHash}`);
      return posts;
    },
    lockSession: (session) => upsertSession(session, undefined),
    async savePosts(idHash, posts) {
      const json = JSON.stringify(Object.fromEntries(posts));
      await updateRows(q, "mcpSessions", { idHash }, { posts: json }).execute();
      await notify("changes", `session:${idHash}`);
    },
    async findSessions(idHashes) {
      const rows = await run(sessionsQuery, [idHashes]);
      return new Map(rows.map(({ idHash, streamId, posts }) => [idHash, { streamId, posts: toPosts(posts) }]));
    },
  };
}

const toPosts = (json: string): SubscribedPosts => new Map(Object.entries(JSON.parse(json) as Record<string, string>));
