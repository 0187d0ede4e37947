import { sql } from "kysely";
import type { PublicationStore } from "#domain/publishing/ports.ts";
import type { PublicationState, VisibleState } from "#domain/publishing/states.ts";
import { statement, type Connection } from "./database.ts";
import {
  isSupersededExpression,
  toColumns,
  toDigestColumns,
  toPublication,
  toPublicationWithNames,
  type PublicationRow,
} from "./publication-rows.ts";
import { createPublishingWorkStore } from "./publishing-work.ts";
import { createUpdateBuilder, type UpdatePart } from "./update-builder.ts";

const findByRemoteIdQuery = statement(
  "find_publication_by_remote_id",
  "SELECT id FROM publications WHERE connection_id = $1 AND remote_id = $2",
);

/** Publications without a time come first. */
const plannedTime = sql<number>`coalesce(p.scheduled_for, 0)`;

const buildUpdate = createUpdateBuilder<PublicationRow>("publications");

export function createPublicationStore(connection: Connection): PublicationStore {
  const { q, run } = connection;
  const selectWithNames = (studioId: string) =>
    q
      .selectFrom("publications as p")
      .innerJoin("platform_connections as c", "c.id", "p.connection_id")
      .leftJoin("users as r", "r.id", "p.requested_by")
      .leftJoin("users as a", "a.id", "p.approved_by")
      .leftJoin("posts as t", (join) => join.onRef("t.id", "=", "p.post_id").on("t.trashed_at", "is", null))
      .selectAll("p")
      .select([
        "c.platform",
        "c.account_id",
        "c.handle",
        "c.name as account_name",
        "r.name as requested_by_name",
        "a.name as approved_by_name",
        "t.title as post_title",
        isSupersededExpression.as("is_superseded"),
      ])
      .where("p.studio_id", "=", studioId);

  return {
    ...createPublishingWorkStore(connection),
    async insert(publication) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("publications")
        .values({
          id: publication.id,
          studio_id: publication.studioId,
          post_id: publication.postId,
          connection_id: publication.connectionId,
          created_at: publication.createdAt,
          requested_by: publication.requestedBy,
          requested_grant_id: publication.requestedGrantId,
          requested_client_id: publication.requestedClientId,
          requested_client_name: publication.requestedClientName,
          state: publication.state,
          includes_title: Number(publication.includesTitle),
          revision: publication.revision,
          ...toDigestColumns(publication.digest),
          approved_revision: publication.approvedRevision,
          approved_for: publication.approvedTime,
          scheduled_for: publication.scheduledFor,
          due_at: publication.dueAt,
          next_run_at: publication.nextRunAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },
    async find(studioId, publicationId) {
      const row = await selectWithNames(studioId).where("p.id", "=", publicationId).executeTakeFirst();
      return row && toPublicationWithNames(row);
    },
    async listByIds(studioId, publicationIds) {
      if (publicationIds.length === 0) return [];
      const rows = await selectWithNames(studioId).where("p.id", "in", publicationIds).execute();
      const rowsById = new Map(rows.map((row) => [row.id, row]));
      return publicationIds.flatMap((id) => rowsById.get(id) ?? []).map(toPublicationWithNames);
    },
    async list(studioId, { postId, state, from, to, latest, order, before, after, limit }) {
      const rows = await selectWithNames(studioId)
        .$if(postId !== undefined, (list) => list.where("p.post_id", "=", postId!))
        .$if(state !== undefined, (list) => list.where("p.state", "in", toStates(state!)))
        .$if(before !== undefined, (list) => list.where("p.id", "<", before!))
        .$if(after !== undefined, (list) =>
          list.where(sql<boolean>`(${plannedTime}, p.id) > (${after!.at}, ${after!.id})`),
        )
        .$if(from !== undefined, (list) =>
          list.where((eb) => eb(eb.fn.coalesce("p.published_at", "p.scheduled_for", "p.created_at"), ">=", from!)),
        )
        .$if(to !== undefined, (list) =>
          list.where((eb) => eb(eb.fn.coalesce("p.published_at", "p.scheduled_for", "p.created_at"), "<=", to!)),
        )
        .$if(latest === true, (list) => list.where(isSupersededExpression, "=", 0))
        .$if(order === "soonest", (list) => list.orderBy(plannedTime))
        .orderBy("p.id", order === "soonest" ? "asc" : "desc")
        .limit(limit)
        .execute();
      return rows.map(toPublicationWithNames);
    },
    async listByPost(postId, states) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("post_id", "=", postId)
        .where("state", "in", states)
        .orderBy("id")
        .execute();
      return rows.map(toPublication);
    },
    async listByConnection(connectionId, states, limit) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("connection_id", "=", connectionId)
        .where("state", "in", states)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toPublication);
    },
    async listVoided(studioId, after, limit) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("state", "=", "proposed")
        .where("voided_digest", "is not", null)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      return rows.map(toPublication);
    },
    async listRequested(studioId, { userId, clientId, since }, after, limit) {
      const rows = await q
        .selectFrom("publications")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      const requestedRows = rows.filter(
        (row) => row.requested_by === userId && row.requested_client_id === clientId && row.created_at >= since,
      );
      return {
        publications: requestedRows.map(toPublication),
        next: rows.length < limit ? undefined : rows.at(-1)?.id,
      };
    },
    async update(publicationId, change, { states, fence, digest, voidedDigest, scheduledFor, nextRunBefore }) {
      const assignments = Object.entries(toColumns(change)).map(([column, value]): UpdatePart => [
        `${column} =`,
        value,
      ]);
      const conditions: UpdatePart[] = [["id =", publicationId], `state IN ('${states.join("', '")}')`];
      if (fence !== undefined) conditions.push(["fence =", fence]);
      if (digest !== undefined) conditions.push(...toDigestConditions(digest));
      if (voidedDigest !== undefined) conditions.push(["voided_digest =", voidedDigest]);
      if (scheduledFor === null) conditions.push("scheduled_for IS NULL");
      else if (scheduledFor !== undefined) conditions.push(["scheduled_for =", scheduledFor]);
      if (nextRunBefore !== undefined) conditions.push(["next_run_at <", nextRunBefore]);
      const [row] = await run(...buildUpdate(assignments, conditions));
      return row && toPublication(row);
    },
    async isRemoteIdTaken(connectionId, remoteId) {
      return (await run(findByRemoteIdQuery, [connectionId, remoteId])).length > 0;
    },
  };
}

/**
 * A row without keys was written by a process of the previous version, and no newer process has edited the content since:
 * such an edit stores the keys or voids the approval.
 */
function toDigestConditions(digest: string): UpdatePart[] {
  const { digest: hash, file_keys: fileKeys } = toDigestColumns(digest);
  const keysCondition: UpdatePart = ["(file_keys IS NULL OR file_keys =", fileKeys, ")"];
  return [["digest =", hash], ...(fileKeys === null ? [] : [keysCondition])];
}

const toStates = (state: VisibleState): PublicationState[] =>
  state === "publishing" ? ["preparing", "committing"] : [state];
