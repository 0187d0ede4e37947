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
import { listPosts } from "#domain/posts/list-posts.ts";
import { changeRole, listMembers, removeMember } from "#domain/studios/members.ts";
import { createInvitation } from "#domain/studios/create-invitation.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { listInvitations, revokeInvitation } from "#domain/studios/invitation.ts";
import { updateStudio } from "#domain/studios/update-studio.ts";
import { notFoundError } from "#lib/errors.ts";
import { forEachEngine, type Fixture } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newConnection, fakePlatforms } from "../support/platform-fixture.ts";
import { newMember, newStudioWithRoles } from "../support/users.ts";

type Cast = Awaited<ReturnType<typeof newStudioWithRoles>>;

/** The documented cells, and one real deed for each action. An action without a row does not compile. */
const deeds: Record<
  Action,
  {
    allowed: readonly Role[];
    /** What the others are told, where it is not that they may not. */
    refusal?: "not_found";
    run: (fixture: Fixture, caller: Caller, cast: Cast) => Promise<unknown>;
  }
> = {
  "studio.read": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => resolveStudioCaller(deps, caller, caller.studio.id),
  },
  "studio.update": {
    allowed: ["owner", "admin"],
    run: ({ deps }, caller) => updateStudio(deps, caller, { name: "Other" }),
  },
  "studio.delete": {
    allowed: ["owner"],
    run: ({ deps }, caller) => deleteStudio(deps, caller, { name: caller.studio.name }),
  },
  "members.list": { allowed: ["owner", "admin", "member"], run: ({ deps }, caller) => listMembers(deps, caller) },
  "members.changeRole": {
    allowed: ["owner", "admin"],
    run: ({ deps }, caller, { member }) => changeRole(deps, caller, { userId: member.user.id, role: "admin" }),
  },
  "members.remove": {
    allowed: ["owner", "admin"],
    run: async ({ deps }, caller, { owner }) =>
      removeMember(deps, caller, { userId: (await newMember(deps, owner, "member")).user.id }),
  },
  "members.leave": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => removeMember(deps, caller, { userId: caller.user.id }),
  },
  "invitations.list": { allowed: ["owner", "admin"], run: ({ deps }, caller) => listInvitations(deps, caller) },
  "invitations.create": {
    allowed: ["owner", "admin"],
    run: ({ deps }, caller) => createInvitation(deps, caller, { role: "member" }),
  },
  "invitations.revoke": {
    allowed: ["owner", "admin"],
    run: async ({ deps }, caller, { owner }) => {
      const { id } = await createInvitation(deps, owner, { role: "member" });
      return revokeInvitation(deps, caller, { invitationId: id });
    },
  },
  "posts.read": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => listPosts(deps, caller, { limit: 1 }),
  },
  "posts.write": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => createPost(deps, caller, { title: "A", body: "" }),
  },
  "assets.read": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => listAssets(deps, caller, { limit: 1 }),
  },
  "assets.write": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => requestAssetUpload(deps, caller, { kind: "image", mimeType: "image/png" }),
  },
  "platforms.read": { allowed: ["owner", "admin", "member"], run: ({ deps }, caller) => listPlatforms(deps, caller) },
  "platforms.connect": {
    allowed: ["owner", "admin"],
    run: ({ deps }, caller) =>
      connectPlatform({ ...deps, platforms: fakePlatforms }, caller, { platform: "somewhere" }),
  },
  "platforms.disconnect": {
    allowed: ["owner", "admin"],
    run: async ({ deps }, caller, { owner }) =>
      disconnectPlatform(deps, caller, { connectionId: await newConnection(deps, owner) }),
  },
  "activity.list": { allowed: ["owner", "admin"], run: ({ deps }, caller) => listActivity(deps, caller, { limit: 1 }) },
  "clients.list": {
    allowed: ["owner", "admin", "member"],
    run: ({ deps }, caller) => listClients(deps, caller, { limit: 100 }),
  },
  "clients.listAll": {
    allowed: ["owner", "admin"],
    refusal: "not_found",
    run: async ({ deps }, caller, { otherOwner }) => {
      const grantId = await approve(deps, otherOwner);
      const { clients } = await listClients(deps, caller, { limit: 100 });
      if (!clients.some(({ id }) => id === grantId)) throw notFoundError("client"); // to them it is not there
    },
  },
  "clients.revoke": {
    allowed: ["owner", "admin", "member"],
    run: async ({ deps }, caller) => revokeClient(deps, caller, { grantId: await approve(deps, caller) }),
  },
  "clients.revokeAny": {
    allowed: ["owner", "admin"],
    refusal: "not_found",
    run: async ({ deps }, caller, { otherOwner }) =>
      revokeClient(deps, caller, { grantId: await approve(deps, otherOwner) }),
  },
};

async function approve(deps: Deps, person: Caller): Promise<string> {
  const client = { clientId: "c", clientName: "Client", clientVerified: false, redirectHost: "localhost" };
  return (await createGrant(deps, person, { ...client, scopes: ["studio:read"] })).id;
}

forEachEngine("the policy, cell by cell", (fixture) => {
  test("the policy table has the documented cells and no others (ROLE-1, T3)", () => {
    const documented = Object.fromEntries(Object.entries(deeds).map(([action, { allowed }]) => [action, allowed]));
    assert.deepEqual(Object.fromEntries(Object.entries(policy)), documented);
  });

  for (const [action, { allowed, refusal = "forbidden", run }] of Object.entries(deeds)) {
    for (const role of roles) {
      test(`${role}: ${action} is ${allowed.includes(role) ? "allowed" : refusal} (ROLE-1, ERR-forbidden, T3)`, async () => {
        const cast = await newStudioWithRoles(fixture.deps);
        assert.equal(await getOutcome(run(fixture, cast[role], cast)), allowed.includes(role) ? "ok" : refusal);
      });
    }
  }
});
