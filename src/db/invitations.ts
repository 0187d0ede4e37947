import { roles, type ApprovalRule, type Role } from "#domain/policy.ts";
import { listInviters } from "#domain/studios/invitation.ts";
import type { InvitationStore, OpenInvitation } from "#domain/studios/ports.ts";
import type { Connection } from "./database.ts";
import type { Schema } from "./schema.ts";
import { lockForCounting } from "./studios.ts";

export function createInvitationStore({ q }: Connection): InvitationStore {
  const selectOpen = (now: number) =>
    q
      .selectFrom("invitations as i")
      .innerJoin("studios as s", "s.id", "i.studio_id")
      .innerJoin("users as u", "u.id", "i.created_by")
      .innerJoin("memberships as m", (join) =>
        join.onRef("m.studio_id", "=", "i.studio_id").onRef("m.user_id", "=", "i.created_by"),
      )
      .selectAll("i")
      .select(["s.name as studio_name", "s.approval", "u.name as creator_name", "m.role as creator_role"])
      .where("i.accepted_at", "is", null)
      .where("i.revoked_at", "is", null)
      .where("i.expires_at", ">", now)
      .where((eb) =>
        eb.or(roles.map((role) => eb.and([eb("i.role", "=", role), eb("m.role", "in", listInviters(role))]))),
      );
  const selectOpenInStudio = (studioId: string, now: number, limit: number) =>
    selectOpen(now).where("i.studio_id", "=", studioId).orderBy("i.id", "desc").limit(limit);
  return {
    async insert(invitation, tokenHash, maxOpen) {
      const { studioId, createdAt } = invitation;
      await lockForCounting(q, studioId);
      const openInvitations = await selectOpenInStudio(studioId, createdAt, maxOpen).execute();
      if (openInvitations.length >= maxOpen) return false;
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
      return true;
    },
    async findOpen(tokenHash, now) {
      const row = await selectOpen(now).where("i.token_hash", "=", tokenHash).executeTakeFirst();
      return row && toInvitation(row);
    },
    async listOpen(studioId, now, limit) {
      return (await selectOpenInStudio(studioId, now, limit).execute()).map(toInvitation);
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
    creator_role: Role;
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
