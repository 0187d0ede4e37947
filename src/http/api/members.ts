import { Hono } from "hono";
import { changeRole, changeRoleInput } from "#domain/studios/change-role.ts";
import { createInvitation, createInvitationInput } from "#domain/studios/create-invitation.ts";
import { listInvitations } from "#domain/studios/list-invitations.ts";
import { listMembers } from "#domain/studios/list-members.ts";
import { removeMember } from "#domain/studios/remove-member.ts";
import { revokeInvitation } from "#domain/studios/revoke-invitation.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson } from "./input.ts";

const changeRoleBody = changeRoleInput.omit({ userId: true });

/** Who is in a studio, and who may come. */
export function createMemberRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/members", async (c) => c.json(await listMembers(deps, c.var.caller)))
    .patch("/members/:userId", validateJson(changeRoleBody), async (c) =>
      c.json(await changeRole(deps, c.var.caller, { ...c.req.valid("json"), userId: c.req.param("userId") })),
    )
    .delete("/members/:userId", async (c) => {
      await removeMember(deps, c.var.caller, { userId: c.req.param("userId") });
      return c.body(null, 204);
    })
    .get("/invitations", async (c) => c.json(await listInvitations(deps, c.var.caller)))
    .post("/invitations", validateJson(createInvitationInput), async (c) => {
      const { url, expiresAt } = await createInvitation(deps, c.var.caller, c.req.valid("json"));
      return c.json({ url, expiresAt }, 201);
    })
    .delete("/invitations/:invitationId", async (c) => {
      await revokeInvitation(deps, c.var.caller, { invitationId: c.req.param("invitationId") });
      return c.body(null, 204);
    });
}
