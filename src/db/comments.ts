import { sql } from "kysely";
import type { CommentStore } from "#domain/ports/comments.ts";
import { changesRow, deleteRows, execute, selectRows, updateRows, type Connection } from "./database.ts";
import { updatePostText } from "./search-index.ts";
import { createChangedIdsList, listCommentSteps } from "./undo-steps.ts";

const isDeletedColumn = sql<boolean>`c.removed_at IS NOT NULL`.as("isDeleted");

export function createCommentStore(connection: Connection): CommentStore {
  const { q } = connection;
  const selectWithNames = () =>
    q
      .selectFrom("comments as c")
      .leftJoin("users as u", "u.id", "c.userId")
      .leftJoin("users as r", "r.id", "c.resolvedBy")
      .select(["u.name as userName", "r.name as resolvedByName", isDeletedColumn])
      .selectAll("c");

  /** Without deleted comments, except the first one of a thread that still has replies. */
  const selectListed = () =>
    selectWithNames().where((eb) =>
      eb.or([
        eb("c.removedAt", "is", null),
        eb.and([
          eb("c.parentId", "is", null),
          eb.exists(
            eb
              .selectFrom("comments as reply")
              .select("reply.id")
              .whereRef("reply.postId", "=", "c.postId")
              .whereRef("reply.parentId", "=", "c.id")
              .where("reply.removedAt", "is", null),
          ),
        ]),
      ]),
    );

  const countRows = async (conditions: { postId: string; removedAt?: null }): Promise<number> => {
    const { count } = await selectRows(q, "comments", conditions)
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    return count;
  };

  async function eraseRow(commentId: string, now: number): Promise<void> {
    const isErased = await deleteRows(q, "comments", { id: commentId })
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("comments as r")
              .select("r.id")
              .whereRef("r.postId", "=", "comments.postId")
              .whereRef("r.parentId", "=", "comments.id"),
          ),
        ),
      )
      .$call(changesRow);
    if (isErased) return;
    await updateRows(q, "comments", { id: commentId }, (eb) => ({
      body: "",
      removedAt: now,
      changeCount: eb("changeCount", "+", 1),
    })).execute();
    await deleteRows(q, "commentChanges", { commentId }).execute();
  }

  return {
    async insert({ isDeleted: _, ...comment }) {
      await q.insertInto("comments").values(comment).execute();
      await updatePostText(connection, comment.postId);
    },
    find: (studioId, commentId) =>
      selectListed()
        .innerJoin("posts as p", "p.id", "c.postId")
        .where((eb) => eb.and({ "c.studioId": studioId, "c.id": commentId, "p.trashedAt": null }))
        .executeTakeFirst(),
    findWithDeleted: (studioId, commentId) =>
      q
        .selectFrom("comments as c")
        .select(isDeletedColumn)
        .selectAll()
        .where((eb) => eb.and({ studioId, id: commentId }))
        .executeTakeFirst(),
    list: (postId, { after, limit }) =>
      selectListed()
        .where("c.postId", "=", postId)
        .$if(after !== undefined, (comments) => comments.where("c.id", ">", after!))
        .orderBy("c.id")
        .limit(limit)
        .execute(),
    listNewest: (postId, limit) =>
      selectWithNames()
        .where((eb) => eb.and({ "c.postId": postId, "c.removedAt": null }))
        .orderBy("c.id", "desc")
        .limit(limit)
        .execute(),
    count: (postId) => countRows({ postId, removedAt: null }),
    async countByGuests(postId) {
      const { count } = await selectRows(q, "comments", { postId })
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("reviewLinkId", "is not", null)
        .executeTakeFirstOrThrow();
      return count;
    },
    countWithDeleted: (postId) => countRows({ postId }),
    listForGuests: (postId, linkId, maxLength) =>
      selectWithNames()
        .where("c.id", "in", (eb) =>
          eb
            .selectFrom(
              selectRows(q, "comments", { postId, visibility: "guests", removedAt: null })
                .where((row) => row.or([row("reviewLinkId", "is", null), row("reviewLinkId", "=", linkId)]))
                .select(["id", sql<number>`sum(length(body)) OVER (ORDER BY id DESC)`.as("total")])
                .as("shown"),
            )
            .select("shown.id")
            .where("shown.total", "<=", maxLength),
        )
        .orderBy("c.id")
        .execute(),
    setVisibility: (id, visibility) => updateRows(q, "comments", { id }, { visibility }).$call(execute),
    setResolved(id, resolution) {
      const values = { resolvedAt: resolution?.at ?? null, resolvedBy: resolution?.by ?? null };
      return updateRows(q, "comments", { id }, values).$call(execute);
    },
    async erase({ id: commentId, postId }, now) {
      await eraseRow(commentId, now);
      await updatePostText(connection, postId);
    },
    async setDeleted({ id, postId, changeCount }, deletedAt) {
      const values = { removedAt: deletedAt, changeCount: changeCount + 1 };
      const isChanged = await updateRows(q, "comments", { id, changeCount }, values).$call(changesRow);
      if (isChanged) await updatePostText(connection, postId);
      return isChanged;
    },
    recordChange: ({ id, studioId, changeCount, isDeleted }, at, author) =>
      q
        .insertInto("commentChanges")
        .values({ commentId: id, change: changeCount, isDeleted, studioId, at, ...author })
        .$call(execute),
    listChangedIds: createChangedIdsList(connection, "commentChanges"),
    listSteps: (commentId, selection) => listCommentSteps(q, commentId, selection),
  };
}
