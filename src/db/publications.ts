import { sql } from "kysely";
import type {
  PublicationCounts,
  PublicationRunStore,
  PublicationStore,
  PublicationWrites,
} from "#domain/ports/publications.ts";
import { openStates, type PublicationState, type VisibleState } from "#domain/model/publication-states.ts";
import { toColumnName } from "./columns.ts";
import { changesRow, execute, first, selectRows, statement, type Connection } from "./database.ts";
import {
  isNotSuperseded,
  isSuperseded,
  listPublications,
  publicationTime,
  publicationTimeSql,
  toColumns,
  toDigestColumns,
  toProblemColumns,
  toPublication,
  toPublicationWithNames,
  type PublicationRow,
} from "./publication-rows.ts";
import { createPublishingWorkStore } from "./publishing-work.ts";
import { assign, buildUpdate, type UpdatePart } from "./update-builder.ts";

const findByRemoteIdQuery = statement(`
  SELECT id FROM publications WHERE connection_id = $1 AND remote_id = $2
  UNION ALL SELECT publication_id FROM publication_parts WHERE connection_id = $1 AND remote_id = $2`);

/** Bounds what a count reads, however many publications a studio has. */
const maxExaminedRows = 1000;
const isOwnRequestSql = "p.requested_client_name IS NULL AND p.requested_by = $2";
const isSinceSql = `${publicationTimeSql} >= $3`;
/** What is counted: the newest rows of `rows` for which `condition` holds. */
const countedSql: Readonly<Record<keyof PublicationCounts, { rows: string; condition: string }>> = {
  proposed: { rows: "state = 'proposed'", condition: `NOT (${isOwnRequestSql} AND p.approved_revision IS NULL)` },
  failed: { rows: "state = 'failed'", condition: isSinceSql },
  unconfirmed: { rows: "state = 'unconfirmed'", condition: "TRUE" },
  missed: { rows: "state = 'missed'", condition: "TRUE" },
  sentBack: {
    rows: "state = 'canceled' AND problem_code = 'sent_back' AND requested_by = $2",
    condition: `${isOwnRequestSql} AND ${isSinceSql}`,
  },
};
const countQuery = statement<PublicationCounts>(
  `SELECT ${Object.entries(countedSql)
    .map(
      ([name, { rows, condition }]) => `(SELECT CAST(COUNT(*) AS INTEGER) FROM (
         SELECT 1 FROM (SELECT * FROM publications WHERE studio_id = $1 AND ${rows}
           ORDER BY id DESC LIMIT ${maxExaminedRows}) p
         WHERE ${condition} AND NOT EXISTS (SELECT 1 FROM publications n
           WHERE n.post_id = p.post_id AND n.connection_id = p.connection_id AND n.id > p.id) LIMIT $4) c)
       AS ${toColumnName(name)}`,
    )
    .join(", ")}`,
);

/** Written out, so that SQLite uses the index `publications_open_by_time`. */
const isOpen = sql<boolean>`state IN (${sql.raw(openStates.map((state) => `'${state}'`).join(", "))})`;

/** Publications without a time come first. */
const plannedTime = sql<number>`coalesce(p.scheduled_for, 0)`;

/** The sign keeps SQLite from reading and sorting all publications of a range, instead of one page in the list's order. */
const unindexedTime = sql<number>`+${publicationTime}`;

export function createPublicationStore(
  connection: Connection,
): PublicationStore & PublicationRunStore & PublicationWrites {
  const { q, run } = connection;
  const selectWithNames = (studioId: string) =>
    q
      .selectFrom("publications as p")
      .innerJoin("platformConnections as c", "c.id", "p.connectionId")
      .leftJoin("users as r", "r.id", "p.requestedBy")
      .leftJoin("users as a", "a.id", "p.approvedBy")
      .leftJoin("posts as t", (join) => join.onRef("t.id", "=", "p.postId").on("t.trashedAt", "is", null))
      .select([
        "c.platform",
        "c.accountId",
        "c.handle",
        "c.name as accountName",
        "r.name as requestedByName",
        "a.name as approvedByName",
        "t.title as postTitle",
        isSuperseded,
      ])
      .selectAll("p")
      .where("p.studioId", "=", studioId);
  const selectInStates = (match: Partial<PublicationRow>, states: readonly PublicationState[]) =>
    selectRows(q, "publications", match).selectAll().where("state", "in", states).orderBy("id");

  return {
    ...createPublishingWorkStore(connection),
    insert: ({ digest, problem, ...publication }, slotAt) =>
      q
        .insertInto("publications")
        .values({
          ...publication,
          ...toDigestColumns(digest),
          ...toProblemColumns(problem),
          slotAt: slotAt ?? null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .$call(changesRow),
    find: (studioId, publicationId) =>
      first(selectWithNames(studioId).where("p.id", "=", publicationId).execute(), toPublicationWithNames),
    async listByIds(studioId, publicationIds) {
      if (publicationIds.length === 0) return [];
      const rows = await selectWithNames(studioId).where("p.id", "in", publicationIds).execute();
      const rowsById = new Map(rows.map((row) => [row.id, row]));
      return publicationIds.flatMap((id) => rowsById.get(id) ?? []).map(toPublicationWithNames);
    },
    async list(studioId, { postId, state, from, to, latest, order, before, after, limit }) {
      const states = state === undefined ? [] : toStates(state);
      const rows = await selectWithNames(studioId)
        .$if(postId !== undefined, (list) => list.where("p.postId", "=", postId!))
        .$if(states.length > 0, (list) => list.where("p.state", "in", states))
        .$if(before !== undefined, (list) => list.where("p.id", "<", before!))
        .$if(after !== undefined, (list) =>
          list.where(sql<boolean>`(${plannedTime}, p.id) > (${after!.at}, ${after!.id})`),
        )
        .$if(from !== undefined, (list) => list.where(unindexedTime, ">=", from!))
        .$if(to !== undefined, (list) => list.where(unindexedTime, "<=", to!))
        .$if(latest === true, (list) => list.where(isNotSuperseded))
        .$if(order === "soonest", (list) => list.orderBy(plannedTime))
        // Of several states, few publications exist; those of one state are in the order of an index.
        .orderBy(states.length > 1 ? sql`p.id || ''` : sql.ref("p.id"), order === "soonest" ? "asc" : "desc")
        .limit(limit)
        .execute();
      return rows.map(toPublicationWithNames);
    },
    async count(studioId, { userId, from, maxCount }) {
      const [row] = await run(countQuery, [studioId, userId, from, maxCount]);
      if (!row) throw new Error("a query of counts returned no row");
      return row;
    },
    async countByPost(postId) {
      const { count } = await selectRows(q, "publications", { postId })
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    },
    async hasMoreOpen(studioId, limit) {
      const rows = await selectRows(q, "publications", { studioId })
        .select("id")
        .where("state", "in", openStates)
        .offset(limit)
        .limit(1)
        .execute();
      return rows.length > 0;
    },
    async listOpenTimes(connectionId, from, to) {
      const rows = await selectRows(q, "publications", { connectionId })
        .select(sql<number>`scheduled_for`.as("at"))
        .where(isOpen)
        .where("scheduledFor", ">=", from)
        .where("scheduledFor", "<=", to)
        .execute();
      return rows.map(({ at }) => at);
    },
    listByPost: (postId, states) => selectInStates({ postId }, states).$call(listPublications),
    listByConnection: (connectionId, states, limit) =>
      selectInStates({ connectionId }, states).limit(limit).$call(listPublications),
    listVoided: (studioId, after, limit) =>
      selectInStates({ studioId }, ["proposed"])
        .where("voidedDigest", "is not", null)
        .where("id", ">", after)
        .limit(limit)
        .$call(listPublications),
    async listRequested(studioId, { userId, clientId, since }, after, limit) {
      const rows = await selectRows(q, "publications", { studioId })
        .selectAll()
        .where("id", ">", after)
        .orderBy("id")
        .limit(limit)
        .execute();
      const requestedRows = rows.filter(
        (row) => row.requestedBy === userId && row.requestedClientId === clientId && row.createdAt >= since,
      );
      return {
        publications: requestedRows.map(toPublication),
        next: rows.length < limit ? undefined : rows.at(-1)?.id,
      };
    },
    update(publicationId, change, { states, publicParts, fence, digest, voidedDigest, scheduledFor, nextRunBefore }) {
      const conditions: UpdatePart[] = [["id =", publicationId], `state IN ('${states.join("', '")}')`];
      if (publicParts !== undefined) conditions.push(["public_parts =", publicParts]);
      if (fence !== undefined) conditions.push(["fence =", fence]);
      if (digest !== undefined) conditions.push(...toDigestConditions(digest));
      if (voidedDigest !== undefined) conditions.push(["voided_digest =", voidedDigest]);
      if (scheduledFor === null) conditions.push("scheduled_for IS NULL");
      else if (scheduledFor !== undefined) conditions.push(["scheduled_for =", scheduledFor]);
      if (nextRunBefore !== undefined) conditions.push(["next_run_at <", nextRunBefore]);
      const changes = [...assign(toColumns(change)), ...("state" in change ? ["sequence = sequence + 1"] : [])];
      const update = buildUpdate<PublicationRow>("publications", "*", changes, conditions);
      return first(run(...update), toPublication);
    },
    insertPart: ({ id: publicationId, connectionId }, part) =>
      q
        .insertInto("publicationParts")
        .values({ ...part, publicationId, connectionId })
        .$call(execute),
    listParts: (publicationId) =>
      selectRows(q, "publicationParts", { publicationId })
        .select(["part", "remoteId", "url", "publishedAt"])
        .orderBy("part")
        .execute(),
    isRemoteIdTaken: async (connectionId, remoteId) =>
      (await run(findByRemoteIdQuery, [connectionId, remoteId])).length > 0,
  };
}

/**
 * A row without keys was written by a process of the previous version, and no newer process has edited the content since:
 * such an edit stores the keys or voids the approval.
 */
function toDigestConditions(digest: string): UpdatePart[] {
  const { digest: hash, fileKeys } = toDigestColumns(digest);
  const keysCondition: UpdatePart = ["(file_keys IS NULL OR file_keys =", fileKeys, ")"];
  return [["digest =", hash], ...(fileKeys === null ? [] : [keysCondition])];
}

const toStates = (state: VisibleState): PublicationState[] =>
  state === "publishing" ? ["preparing", "committing"] : [state];
