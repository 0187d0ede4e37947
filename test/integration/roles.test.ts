import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { roles, type Role } from "#domain/policy.ts";
import { changeRole, changeRoleInput, removeMember } from "#domain/studios/members.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { forEachEngine } from "../support/engines.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newStudio, newStudioWithRoles } from "../support/users.ts";

/** The roles that each role may manage and assign. */
const manageableRoles: Record<Role, readonly Role[]> = {
  owner: ["owner", "admin", "member"],
  admin: ["admin", "member"],
  member: [],
};

forEachEngine("roles", (fixture) => {
  test("changes roles only as the caller's role allows, in all 27 combinations (ROLE-2, T3, T7)", async () => {
    for (const callerRole of roles) {
      for (const from of roles) {
        for (const to of roles) {
          const callers = await newStudioWithRoles(fixture.deps);
          const target = await newMember(fixture.deps, callers.owner, from);
          const isAllowed = manageableRoles[callerRole].includes(from) && manageableRoles[callerRole].includes(to);
          assert.equal(
            await getOutcome(changeRole(fixture.deps, callers[callerRole], { userId: target.user.id, role: to })),
            isAllowed ? "ok" : "forbidden",
            `${callerRole}: ${from} → ${to}`,
          );
          const current = await resolveStudioCaller(fixture.deps, target, target.studio.id);
          assert.equal(current.role, isAllowed ? to : from, `${callerRole}: ${from} → ${to}`);
        }
      }
    }
  });

  test("admins and members cannot promote themselves (ROLE-2, T7)", async () => {
    const { admin, member } = await newStudioWithRoles(fixture.deps);
    for (const [caller, role] of [
      [admin, "owner"],
      [member, "admin"],
    ] as const)
      assert.equal(await getOutcome(changeRole(fixture.deps, caller, { userId: caller.user.id, role })), "forbidden");
  });

  test("the last owner cannot be demoted, leave or be removed (ROLE-3)", async () => {
    const owner = await newStudio(fixture.deps);
    await newMember(fixture.deps, owner, "admin");
    const userId = owner.user.id;
    for (const role of ["admin", "member"] as const)
      assert.equal(await getOutcome(changeRole(fixture.deps, owner, { userId, role })), "forbidden");
    assert.equal(await getOutcome(removeMember(fixture.deps, owner, { userId })), "forbidden");
    assert.equal((await resolveStudioCaller(fixture.deps, owner, owner.studio.id)).role, "owner");
  });

  test("an owner transfers a studio by appointing another owner, then stepping down or leaving (ROLE-3, ROLE-4)", async () => {
    const owner = await newStudio(fixture.deps);
    const newOwner = await newMember(fixture.deps, owner, "member");
    const membership = await changeRole(fixture.deps, owner, { userId: newOwner.user.id, role: "owner" });
    assert.deepEqual(membership, {
      studioId: owner.studio.id,
      userId: newOwner.user.id,
      role: "owner",
      joinedAt: new Date(fixture.clock()).toISOString(),
    });
    await changeRole(fixture.deps, owner, { userId: owner.user.id, role: "member" });
    const leave = async (caller: Caller) => {
      const resolvedCaller = await resolveStudioCaller(fixture.deps, caller, caller.studio.id);
      await removeMember(fixture.deps, resolvedCaller, { userId: caller.user.id });
    };
    await leave(owner);
    assert.equal(await getOutcome(leave(newOwner)), "forbidden");
  });

  test("removal and demotion take effect the next time the studio is resolved (STUDIO-4)", async () => {
    const { owner, admin, member } = await newStudioWithRoles(fixture.deps);
    await changeRole(fixture.deps, owner, { userId: admin.user.id, role: "member" });
    assert.equal((await resolveStudioCaller(fixture.deps, admin, admin.studio.id)).role, "member");
    await removeMember(fixture.deps, owner, { userId: member.user.id });
    assert.equal(await getOutcome(resolveStudioCaller(fixture.deps, member, member.studio.id)), "not_found");
  });

  test("rejects an unknown role (ERR-invalid_input)", () => {
    for (const role of ["", "Owner", "root", null, 1, ["owner"]])
      assert.equal(changeRoleInput.safeParse({ userId: "u", role }).success, false);
  });
});
