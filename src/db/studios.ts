import type {
  InvitationStore,
  OpenInvitation,
  Membership,
  MembershipStore,
  StudioStore,
} from "#domain/studios/ports.ts";
import type { Role } from "#domain/policy.ts";
import { statement, type Connection } from "./client.ts";
import type { Schema } from "./schema.ts";
import { holds } from "./search.ts";

const findSeat = statement<{ id: string; name: string; role: Role }>(
  "find_seat",
  "SELECT s.id, s.name, m.role FROM memberships m JOIN studios s ON s.id = m.studio_id WHERE m.studio_id = $1 AND m.user_id = $2",
);

export function studioStore({ q }: Connection): StudioStore {
  return {
    async insert({ id, name, slug, timezone, createdAt }, ownerId) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("studios")
        .values({ id, name, slug, timezone, owner_count: 1, created_at: createdAt })
        .onConflict((conflict) => conflict.column("slug").doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n) return false;
      await q
        .insertInto("memberships")
        .values({ studio_id: id, user_id: ownerId, role: "owner", joined_at: createdAt })
        .execute();
      return true;
    },
    async find(studioId) {
      return q
        .selectFrom("studios")
        .select(["id", "name", "slug", "timezone", "created_at as createdAt"])
        .where("id", "=", studioId)
        .executeTakeFirst();
    },
    async update(studioId, change) {
      return q
        .updateTable("studios")
        .set(change)
        .where("id", "=", studioId)
        .returning(["id", "name", "slug", "timezone", "created_at as createdAt"])
        .executeTakeFirst();
    },
    async list({ search, before, limit }) {
      return q
        .selectFrom("studios")
        .select(["id", "name", "slug", "timezone", "created_at as createdAt"])
        .$if(search !== undefined, (studios) => studios.where(holds(["name", "slug"], search!)))
        .$if(before !== undefined, (studios) => studios.where("id", "<", before!))
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
    async delete(studioId) {
      await q.deleteFrom("studios").where("id", "=", studioId).execute();
    },
  };
}

export function membershipStore({ q, run }: Connection): MembershipStore {
  const one = (studioId: string, userId: string) => ({ studio_id: studioId, user_id: userId });
  return {
    async findSeat(studioId, userId) {
      const [row] = await run(findSeat, [studioId, userId]);
      return row && { studio: { id: row.id, name: row.name }, role: row.role };
    },
    async find(studioId, userId) {
      const row = await q
        .selectFrom("memberships")
        .selectAll()
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      return row && toMembership(row);
    },
    async list(studioId) {
      const rows = await q
        .selectFrom("memberships as m")
        .innerJoin("users as u", "u.id", "m.user_id")
        .selectAll("m")
        .select(["u.name", "u.email"])
        .where("m.studio_id", "=", studioId)
        .orderBy("m.joined_at")
        .orderBy("m.user_id")
        .execute();
      return rows.map((row) => ({ ...toMembership(row), name: row.name, email: row.email }));
    },
    async insert({ studioId, userId, role, joinedAt }) {
      const { numInsertedOrUpdatedRows } = await q
        .insertInto("memberships")
        .values({ ...one(studioId, userId), role, joined_at: joinedAt })
        .onConflict((conflict) => conflict.columns(["studio_id", "user_id"]).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },
    async changeRole(studioId, userId, from, to) {
      const { numUpdatedRows } = await q
        .updateTable("memberships")
        .set({ role: to })
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("role", "=", from)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async remove(studioId, userId, role) {
      const { numDeletedRows } = await q
        .deleteFrom("memberships")
        .where("studio_id", "=", studioId)
        .where("user_id", "=", userId)
        .where("role", "=", role)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    async moveOwnerCount(studioId, by) {
      const { numUpdatedRows } = await q
        .updateTable("studios")
        .set((set) => ({ owner_count: set("owner_count", "+", by) }))
        .where("id", "=", studioId)
        .where("owner_count", ">", by > 0 ? 0 : 1)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

export function invitationStore({ q }: Connection): InvitationStore {
  const open = (now: number) =>
    q
      .selectFrom("invitations as i")
      .innerJoin("studios as s", "s.id", "i.studio_id")
      .leftJoin("memberships as m", (join) =>
        join.onRef("m.studio_id", "=", "i.studio_id").onRef("m.user_id", "=", "i.created_by"),
      )
      .selectAll("i")
      .select(["s.name as studio_name", "m.role as maker_role"])
      .where("i.accepted_at", "is", null)
      .where("i.revoked_at", "is", null)
      .where("i.expires_at", ">", now);
  return {
    async insert(invitation, tokenHash) {
      await q
        .insertInto("invitations")
        .values({
          id: invitation.id,
          studio_id: invitation.studioId,
          role: invitation.role,
          email: invitation.email,
          token_hash: tokenHash,
          created_by: invitation.createdBy,
          created_at: invitation.createdAt,
          expires_at: invitation.expiresAt,
          accepted_by: null,
          accepted_at: null,
          revoked_at: null,
        })
        .execute();
    },
    async findOpen(tokenHash, now) {
      const row = await open(now).where("i.token_hash", "=", tokenHash).executeTakeFirst();
      return row && toInvitation(row);
    },
    async listOpen(studioId, now) {
      const rows = await open(now).where("i.studio_id", "=", studioId).orderBy("i.id", "desc").execute();
      return rows.map(toInvitation);
    },
    async accept({ id, studioId, createdBy, makerRole }, userId, now) {
      if (makerRole === null) return false;
      const { numUpdatedRows } = await q
        .updateTable("invitations")
        .set({ accepted_by: userId, accepted_at: now })
        .where("id", "=", id)
        .where("accepted_at", "is", null)
        .where("revoked_at", "is", null)
        .where("expires_at", ">", now)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("memberships")
              .select("user_id")
              .where("studio_id", "=", studioId)
              .where("user_id", "=", createdBy)
              .where("role", "=", makerRole),
          ),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async revokeOf(userId, now) {
      const { numUpdatedRows } = await q
        .updateTable("invitations")
        .set({ revoked_at: now })
        .where("created_by", "=", userId)
        .where("accepted_at", "is", null)
        .where("revoked_at", "is", null)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async revoke(studioId, invitationId, now) {
      const { numUpdatedRows } = await q
        .updateTable("invitations")
        .set({ revoked_at: now })
        .where("studio_id", "=", studioId)
        .where("id", "=", invitationId)
        .where("accepted_at", "is", null)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

function toMembership(row: Schema["memberships"]): Membership {
  return { studioId: row.studio_id, userId: row.user_id, role: row.role, joinedAt: row.joined_at };
}

function toInvitation(row: Schema["invitations"] & { studio_name: string; maker_role: Role | null }): OpenInvitation {
  return {
    id: row.id,
    studioId: row.studio_id,
    role: row.role,
    email: row.email,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    studioName: row.studio_name,
    makerRole: row.maker_role,
  };
}
