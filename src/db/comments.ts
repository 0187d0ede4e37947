import type { Selectable } from "kysely";
import type { Comment, CommentStore, ListedComment } from "#domain/comments/ports.ts";
import type { Connection } from "./database.ts";
import type { Schema } from "./schema.ts";
import { createChangedIdsList, listCommentSteps } from "./undo-steps.ts";

type CommentRow = Selectable<Schema["comments"]>;

export function createCommentStore(connection: Connection): CommentStore {
  const { q } = connection;
  const selectWithNames = () =>
    q
      .selectFrom("comments as c")
      .leftJoin("users as u", "u.id", "c.user_id")
      .leftJoin("users as r", "r.id", "c.resolved_by")
      .selectAll("c")
      .select(["u.name as user_name", "r.name as resolved_by_name"]);

  /** Without deleted comments, except the first one of a thread that still has replies. */
  const selectListed = () =>
    selectWithNames().where((eb) =>
      eb.or([
        eb("c.removed_at", "is", null),
        eb.and([
          eb("c.parent_id", "is", null),
          eb.exists(
            eb
              .selectFrom("comments as reply")
              .select("reply.id")
              .whereRef("reply.post_id", "=", "c.post_id")
              .whereRef("reply.parent_id", "=", "c.id")
              .where("reply.removed_at", "is", null),
          ),
        ]),
      ]),
    );

  return {
    async insert(comment) {
      await q
        .insertInto("comments")
        .values({
          id: comment.id,
          studio_id: comment.studioId,
          post_id: comment.postId,
          parent_id: comment.parentId,
          body: comment.body,
          created_at: comment.createdAt,
          user_id: comment.userId,
          grant_id: comment.grantId,
          client_id: comment.clientId,
          client_name: comment.clientName,
          change_count: comment.changeCount,
        })
        .execute();
    },
    async find(studioId, commentId) {
      const row = await selectListed()
        .innerJoin("posts as p", "p.id", "c.post_id")
        .where("c.studio_id", "=", studioId)
        .where("c.id", "=", commentId)
        .where("p.trashed_at", "is", null)
        .executeTakeFirst();
      return row && toListedComment(row);
    },
    async findWithDeleted(studioId, commentId) {
      const row = await q
        .selectFrom("comments")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("id", "=", commentId)
        .executeTakeFirst();
      return row && toComment(row);
    },
    async list(postId, { after, limit }) {
      const rows = await selectListed()
        .where("c.post_id", "=", postId)
        .$if(after !== undefined, (comments) => comments.where("c.id", ">", after!))
        .orderBy("c.id")
        .limit(limit)
        .execute();
      return rows.map(toListedComment);
    },
    async listNewest(postId, limit) {
      const rows = await selectWithNames()
        .where("c.post_id", "=", postId)
        .where("c.removed_at", "is", null)
        .orderBy("c.id", "desc")
        .limit(limit)
        .execute();
      return rows.map(toListedComment);
    },
    async count(postId) {
      const { count } = await q
        .selectFrom("comments")
        .select((eb) => eb.fn.countAll<number | string>().as("count"))
        .where("post_id", "=", postId)
        .where("removed_at", "is", null)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async setResolved(commentId, resolution) {
      await q
        .updateTable("comments")
        .set({ resolved_at: resolution?.at ?? null, resolved_by: resolution?.by ?? null })
        .where("id", "=", commentId)
        .execute();
    },
    async erase(commentId, now) {
      const { numDeletedRows } = await q
        .deleteFrom("comments")
        .where("id", "=", commentId)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("comments as r")
                .select("r.id")
                .whereRef("r.post_id", "=", "comments.post_id")
                .whereRef("r.parent_id", "=", "comments.id"),
            ),
          ),
        )
        .executeTakeFirst();
      if (numDeletedRows > 0n) return;
      await q
        .updateTable("comments")
        .set((eb) => ({ body: "", removed_at: now, change_count: eb("change_count", "+", 1) }))
        .where("id", "=", commentId)
        .execute();
      await q.deleteFrom("comment_changes").where("comment_id", "=", commentId).execute();
    },
    async setDeleted({ id, changeCount }, deletedAt) {
      const { numUpdatedRows } = await q
        .updateTable("comments")
        .set({ removed_at: deletedAt, change_count: changeCount + 1 })
        .where("id", "=", id)
        .where("change_count", "=", changeCount)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async recordChange({ id, studioId, changeCount, isDeleted }, at, author) {
      await q
        .insertInto("comment_changes")
        .values({
          comment_id: id,
          change: changeCount,
          removed: Number(isDeleted),
          studio_id: studioId,
          at,
          user_id: author.userId,
          grant_id: author.grantId,
          client_id: author.clientId,
          client_name: author.clientName,
          undo_id: author.undoId,
        })
        .execute();
    },
    listChangedIds: createChangedIdsList(connection, "comment_changes"),
    listSteps: (commentId, selection) => listCommentSteps(q, commentId, selection),
  };
}

function toComment(row: CommentRow): Comment {
  return {
    id: row.id,
    studioId: row.studio_id,
    postId: row.post_id,
    parentId: row.parent_id,
    body: row.body,
    createdAt: row.created_at,
    userId: row.user_id,
    grantId: row.grant_id,
    clientId: row.client_id,
    clientName: row.client_name,
    resolvedAt: row.resolved_at,
    resolvedBy: row.resolved_by,
    isDeleted: row.removed_at !== null,
    changeCount: row.change_count,
  };
}

const toListedComment = (
  row: CommentRow & { user_name: string | null; resolved_by_name: string | null },
): ListedComment => ({ ...toComment(row), userName: row.user_name, resolvedByName: row.resolved_by_name });
