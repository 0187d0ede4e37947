import { Hono } from "hono";
import { describeMe, setActiveStudio, setActiveStudioInput } from "#domain/access/me.ts";
import { listActivity, searchActivityInput } from "#domain/activity/list-activity.ts";
import {
  listNotifications,
  listNotificationsInput,
  readNotifications,
  readNotificationsInput,
} from "#domain/notifications/notifications.ts";
import {
  acceptInvitation,
  createInvitation,
  createInvitationInput,
  listInvitations,
  revokeInvitation,
} from "#domain/studios/invitations.ts";
import {
  createStudio,
  createStudioInput,
  getStudio,
  updateStudio,
  updateStudioInput,
} from "#domain/studios/studios.ts";
import { deleteStudio, deleteStudioInput } from "#domain/studios/delete-studio.ts";
import { changeRole, changeRoleInput, listMembers, removeMember } from "#domain/studios/members.ts";
import type { ApiOptions, SignedInEnv, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateQuery } from "./validate-input.ts";

/** Routes outside any studio: the user's profile, and choosing, creating or joining a studio. */
export function createMeRoutes({ deps, isDevelopment, canLinkAccounts }: ApiOptions) {
  return new Hono<SignedInEnv>()
    .get("/me", async (c) => c.json(await describeMe(deps, c.var)))
    .get("/instance", (c) => c.json({ development: isDevelopment, companyAccounts: canLinkAccounts }))
    .put("/me/active-studio", validateJson(setActiveStudioInput), async (c) =>
      noContent(c, setActiveStudio(deps, c.var, c.req.valid("json"))),
    )
    .get("/me/notifications", validateQuery(listNotificationsInput), async (c) =>
      jsonWithEtag(c, await listNotifications(deps, c.var, c.req.valid("query"))),
    )
    .post("/me/notifications/read", validateJson(readNotificationsInput), async (c) =>
      noContent(c, readNotifications(deps, c.var, c.req.valid("json"))),
    )
    .post("/studios", validateJson(createStudioInput), async (c) =>
      c.json(await createStudio(deps, c.var, c.req.valid("json")), 201),
    )
    .post("/invitations/:token/accept", async (c) => c.json(await acceptInvitation(deps, c.var, c.req.param())));
}

export function createStudioRoutes({ deps, log }: ApiOptions) {
  return (
    new Hono<StudioEnv>()
      .get("/", async (c) => c.json(await getStudio(deps, c.var.caller)))
      .patch("/", validateJson(updateStudioInput), async (c) =>
        c.json(await updateStudio(deps, c.var.caller, c.req.valid("json"))),
      )
      // POST, because the request has a body, which intermediaries may drop from DELETE (RFC 9110 §9.3.5).
      .post("/deletion", validateJson(deleteStudioInput), async (c) => {
        await deleteStudio(deps, c.var.caller, c.req.valid("json"));
        // The studio's activity is deleted with the studio, so record the deletion in the server log.
        log.info({ studioId: c.var.caller.studio.id, userId: c.var.caller.user.id }, "studio deleted");
        return c.body(null, 204);
      })
      .get("/activity", validateQuery(searchActivityInput), async (c) =>
        c.json(await listActivity(deps, c.var.caller, c.req.valid("query"))),
      )
  );
}

const changeRoleBody = changeRoleInput.omit({ userId: true });

/** Members and invitations. */
export function createMemberRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/members", async (c) => c.json(await listMembers(deps, c.var.caller)))
    .patch("/members/:userId", validateJson(changeRoleBody), async (c) =>
      c.json(await changeRole(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .delete("/members/:userId", async (c) => noContent(c, removeMember(deps, c.var.caller, c.req.param())))
    .get("/invitations", async (c) => c.json(await listInvitations(deps, c.var.caller)))
    .post("/invitations", validateJson(createInvitationInput), async (c) => {
      const { url, expiresAt } = await createInvitation(deps, c.var.caller, c.req.valid("json"));
      return c.json({ url, expiresAt }, 201);
    })
    .delete("/invitations/:invitationId", async (c) =>
      noContent(c, revokeInvitation(deps, c.var.caller, c.req.param())),
    );
}
