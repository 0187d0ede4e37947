import { roles } from "#domain/policy.ts";
import { listInviters } from "#domain/studios/invitations.ts";
import type { InvitationStore } from "#domain/ports/studios.ts";
import { changesRow, countChangedRows, updateRows, type Connection } from "./database.ts";
import { lockForCounting } from "./studios.ts";

export function createInvitationStore({ q }: Connection): InvitationStore {
  const selectOpen = (now: number) =>
    q
      .selectFrom("invitations as i")
      .innerJoin("studios as s", "s.id", "i.studioId")
      .innerJoin("users as u", "u.id", "i.createdBy")
      .innerJoin("memberships as m", (join) =>
        join.onRef("m.studioId", "=", "i.studioId").onRef("m.userId", "=", "i.createdBy"),
      )
      .select(["i.id", "i.studioId", "i.role", "i.email", "i.createdBy", "i.createdAt", "i.expiresAt"])
      .select(["s.name as studioName", "s.approval", "u.name as creatorName", "m.role as creatorRole"])
      .where((eb) => eb.and({ "i.acceptedAt": null, "i.revokedAt": null }))
      .where("i.expiresAt", ">", now)
      .where((eb) =>
        eb.or(roles.map((role) => eb.and([eb("i.role", "=", role), eb("m.role", "in", listInviters(role))]))),
      );
  const selectOpenInStudio = (studioId: string, now: number, limit: number) =>
    selectOpen(now).where("i.studioId", "=", studioId).orderBy("i.id", "desc").limit(limit);
  return {
    async insert(invitation, tokenHash, maxOpen) {
      const { studioId, createdAt } = invitation;
      await lockForCounting(q, studioId);
      const openInvitations = await selectOpenInStudio(studioId, createdAt, maxOpen).execute();
      if (openInvitations.length >= maxOpen) return false;
      await q
        .insertInto("invitations")
        .values({ ...invitation, tokenHash })
        .execute();
      return true;
    },
    findOpen: (tokenHash, now) => selectOpen(now).where("i.tokenHash", "=", tokenHash).executeTakeFirst(),
    listOpen: (studioId, now, limit) => selectOpenInStudio(studioId, now, limit).execute(),
    findStudioIfMember: (tokenHash, userId) =>
      q
        .selectFrom("invitations as i")
        .innerJoin("studios as s", "s.id", "i.studioId")
        .innerJoin("memberships as m", "m.studioId", "i.studioId")
        .select(["s.id", "s.name"])
        .where((eb) => eb.and({ "i.tokenHash": tokenHash, "m.userId": userId }))
        .executeTakeFirst(),
    accept: ({ id, studioId, createdBy, creatorRole }, userId, now) =>
      updateRows(q, "invitations", { id, acceptedAt: null, revokedAt: null }, { acceptedBy: userId, acceptedAt: now })
        .where("expiresAt", ">", now)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("memberships")
              .select("userId")
              .where((eb) => eb.and({ studioId, userId: createdBy, role: creatorRole })),
          ),
        )
        .$call(changesRow),
    revokeCreatedBy: (userId, now) =>
      updateRows(q, "invitations", { createdBy: userId, acceptedAt: null, revokedAt: null }, { revokedAt: now })
        .where("expiresAt", ">", now)
        .$call(countChangedRows),
    revoke: (studioId, id, now) =>
      updateRows(q, "invitations", { studioId, id, acceptedAt: null, revokedAt: null }, { revokedAt: now }).$call(
        changesRow,
      ),
  };
}
