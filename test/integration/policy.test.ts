import assert from "node:assert/strict";
import { test } from "node:test";
import { createGrant } from "#domain/access/create-grant.ts";
import { listClients } from "#domain/access/list-clients.ts";
import { revokeClient } from "#domain/access/revoke-client.ts";
import { listActivity } from "#domain/activity/list-activity.ts";
import { listAssets } from "#domain/assets/list-assets.ts";
import { requestAssetUpload } from "#domain/assets/request-asset-upload.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { policy, roles, type Action, type Role } from "#domain/policy.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { listPlatforms } from "#domain/platforms/list-platforms.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { listPosts } from "#domain/posts/list-posts.ts";
import { changeRole, listMembers, removeMember } from "#domain/studios/members.ts";
import { createInvitation } from "#domain/studios/create-invitation.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { listInvitations, revokeInvitation } from "#domain/studios/invitation.ts";
import { updateStudio } from "#domain/studios/update-studio.ts";
import { emptyTrash } from "#domain/trash/empty-trash.ts";
import { undoClientChanges } from "#domain/undo/undo-changes.ts";
import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { forOneEngine, type Fixture } from "../support/engines.ts";
import { cancelPublication, resolvePublication } from "#domain/publishing/change-publication.ts";
import { listPublications } from "#domain/publishing/list-publications.ts";
import { getOutcome } from "../support/outcome.ts";
import { newPublication } from "../support/publishing-fixture.ts";
import { newConnection, fakePlatforms } from "../support/platform-fixture.ts";
import { newMember, newStudioWithRoles } from "../support/users.ts";

type Callers = Awaited<ReturnType<typeof newStudioWithRoles>>;

const managers: readonly Role[] = ["owner", "admin"];

/** The documented roles of each action and a call that performs it. An action without an entry does not compile. */
const actionCases: Record<
  Action,
  {
    allowed: readonly Role[];
    /** The error code for the other roles, if it is not `forbidden`. */
    rejection?: "not_found";
    run: (fixture: Fixture, caller: Caller, callers: Callers) => Promise<unknown>;
  }
> = {
  "studio.read": { allowed: roles, run: ({ deps }, caller) => resolveStudioCaller(deps, caller, caller.studio.id) },
  "studio.update": { allowed: managers, run: ({ deps }, caller) => updateStudio(deps, caller, { name: "Other" }) },
  "studio.delete": {
    allowed: ["owner"],
    run: ({ deps }, caller) => deleteStudio(deps, caller, { name: caller.studio.name }),
  },
  "members.list": { allowed: roles, run: ({ deps }, caller) => listMembers(deps, caller) },
  "members.changeRole": {
    allowed: managers,
    run: ({ deps }, caller, { member }) => changeRole(deps, caller, { userId: member.user.id, role: "admin" }),
  },
  "members.remove": {
    allowed: managers,
    run: async ({ deps }, caller, { owner }) =>
      removeMember(deps, caller, { userId: (await newMember(deps, owner, "member")).user.id }),
  },
  "members.leave": {
    allowed: roles,
    run: ({ deps }, caller) => removeMember(deps, caller, { userId: caller.user.id }),
  },
  "invitations.list": { allowed: managers, run: ({ deps }, caller) => listInvitations(deps, caller) },
  "invitations.create": {
    allowed: managers,
    run: ({ deps }, caller) => createInvitation(deps, caller, { role: "member" }),
  },
  "invitations.revoke": {
    allowed: managers,
    run: async ({ deps }, caller, { owner }) => {
      const { id } = await createInvitation(deps, owner, { role: "member" });
      return revokeInvitation(deps, caller, { invitationId: id });
    },
  },
  "posts.read": { allowed: roles, run: ({ deps }, caller) => listPosts(deps, caller, { limit: 1 }) },
  "posts.write": { allowed: roles, run: ({ deps }, caller) => createPost(deps, caller, { title: "A", body: "" }) },
  "trash.empty": {
    allowed: managers,
    run: async ({ deps }, caller, { owner }) => {
      const { id: postId } = await createPost(deps, owner, { title: "A", body: "" });
      await deletePost(deps, owner, { postId });
      await emptyTrash(deps, caller);
    },
  },
  "assets.read": { allowed: roles, run: ({ deps }, caller) => listAssets(deps, caller, { limit: 1 }) },
  "assets.write": {
    allowed: roles,
    run: ({ deps }, caller) => requestAssetUpload(deps, caller, { kind: "image", mimeType: "image/png" }),
  },
  "platforms.read": { allowed: roles, run: ({ deps }, caller) => listPlatforms(deps, caller) },
  "platforms.connect": {
    allowed: managers,
    run: ({ deps }, caller) =>
      connectPlatform({ ...deps, platforms: fakePlatforms }, caller, { platform: "somewhere" }),
  },
  "publications.read": { allowed: roles, run: ({ deps }, caller) => listPublications(deps, caller, { limit: 1 }) },
  "publications.request": {
    allowed: roles,
    run: async ({ deps }, caller, { owner }) =>
      cancelPublication(deps, caller, { publicationId: await newPublication(deps, owner, "proposed") }),
  },
  "publications.approve": {
    allowed: roles,
    run: async ({ deps }, caller, { owner }) =>
      resolvePublication(deps, caller, {
        publicationId: await newPublication(deps, owner, "unconfirmed"),
        outcome: "published",
      }),
  },
  "platforms.disconnect": {
    allowed: managers,
    run: async ({ deps }, caller, { owner }) =>
      disconnectPlatform(deps, caller, { connectionId: await newConnection(deps, owner) }),
  },
  "activity.list": { allowed: managers, run: ({ deps }, caller) => listActivity(deps, caller, { limit: 1 }) },
  "clients.list": { allowed: roles, run: ({ deps }, caller) => listClients(deps, caller, { limit: 100 }) },
  "clients.listAll": {
    allowed: managers,
    rejection: "not_found",
    run: async ({ deps }, caller, { otherOwner }) => {
      const grantId = await createClientGrant(deps, otherOwner);
      const { clients } = await listClients(deps, caller, { limit: 100 });
      if (!clients.some(({ id }) => id === grantId)) throw notFoundError("client"); // other members' clients are not listed
    },
  },
  "clients.undo": {
    allowed: roles,
    run: async ({ deps, clock }, caller) =>
      undoClientChanges(deps, caller, {
        grantId: await createClientGrant(deps, caller),
        since: toIsoTime(clock()),
      }),
  },
  "clients.undoAny": {
    allowed: managers,
    rejection: "not_found",
    run: async ({ deps, clock }, caller, { otherOwner }) =>
      undoClientChanges(deps, caller, {
        grantId: await createClientGrant(deps, otherOwner),
        since: toIsoTime(clock()),
      }),
  },
  "clients.revoke": {
    allowed: roles,
    run: async ({ deps }, caller) => revokeClient(deps, caller, { grantId: await createClientGrant(deps, caller) }),
  },
  "clients.revokeAny": {
    allowed: managers,
    rejection: "not_found",
    run: async ({ deps }, caller, { otherOwner }) =>
      revokeClient(deps, caller, { grantId: await createClientGrant(deps, otherOwner) }),
  },
};

async function createClientGrant(deps: Deps, caller: Caller): Promise<string> {
  const client = { clientId: "c", clientName: "Client", clientVerified: false, redirectHost: "localhost" };
  return (await createGrant(deps, caller, { ...client, scopes: ["studio:read"] })).id;
}

forOneEngine("policy for every role and action", (fixture) => {
  test("the policy table has exactly the documented roles for each action (ROLE-1, T3)", () => {
    const documented = Object.entries(actionCases).map(([action, { allowed }]) => [action, allowed]);
    assert.deepEqual({ ...policy }, Object.fromEntries(documented));
  });

  for (const [action, { allowed, rejection = "forbidden", run }] of Object.entries(actionCases))
    test(`${action} is allowed for ${allowed.join(", ")} only (ROLE-1, ERR-forbidden, T3)`, async () => {
      for (const role of roles) {
        const callers = await newStudioWithRoles(fixture.deps);
        const expected = allowed.includes(role) ? "ok" : rejection;
        assert.equal(await getOutcome(run(fixture, callers[role], callers)), expected, role);
      }
    });
});
