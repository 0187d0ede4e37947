import type { ApprovalRule, Role } from "#domain/policy.ts";
import type { InvitationStore, OpenInvitation } from "#domain/studios/ports.ts";
import type { Connection } from "./database.ts";
import type { Schema } from "./schema.ts";

export function createInvitationStore({ q }: Connection): InvitationStore {
  const selectOpen = (now: number) =>
    q
      .selectFrom("invitations as i")
      .innerJoin("studios as s", "s.id", "i.studio_id")
      .innerJoin("users as u", "u.id", "i.created_by")
      .leftJoin("memberships as m", (join) =>
        join.onRef("m.studio_id", "=", "i.studio_id").onRef("m.user_id", "=", "i.created_by"),
      )
      .selectAll("i")
      .select(["s.name as studio_name", "s.approval", "u.name as creator_name", "m.role as creator_role"])
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
      const row = await selectOpen(now).where("i.token_hash", "=", tokenHash).executeTakeFirst();
      return row && toInvitation(row);
    },
    async listOpen(studioId, now) {
      const rows = await selectOpen(now).where("i.studio_id", "=", studioId).orderBy("i.id", "desc").execute();
      return rows.map(toInvitation);
    },
    findStudioIfMember: (tokenHash, userId) =>
      q
        .selectFrom("invitations as i")
        .innerJoin("studios as s", "s.id", "i.studio_id")
        .innerJoin("memberships as m", "m.studio_id", "i.studio_id")
        .select(["s.id", "s.name"])
        .where("i.token_hash", "=", tokenHash)
        .where("m.user_id", "=", userId)
        .executeTakeFirst(),
    async accept({ id, studioId, createdBy, creatorRole }, userId, now) {
      if (creatorRole === null) return false;
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
              .where("role", "=", creatorRole),
          ),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async revokeCreatedBy(userId, now) {
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

function toInvitation(
  row: Schema["invitations"] & {
    studio_name: string;
    approval: ApprovalRule;
    creator_name: string;
    creator_role: Role | null;
  },
): OpenInvitation {
  return {
    id: row.id,
    studioId: row.studio_id,
    role: row.role,
    email: row.email,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    studioName: row.studio_name,
    approval: row.approval,
    creatorName: row.creator_name,
    creatorRole: row.creator_role,
  };
}
