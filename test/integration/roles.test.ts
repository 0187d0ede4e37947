import assert from "node:assert/strict";
import { test } from "node:test";
import { roles, type Role } from "#domain/policy.ts";
import { changeRole, changeRoleInput, removeMember } from "#domain/studios/members.ts";
import { createInvitation } from "#domain/studios/create-invitation.ts";
import { resolveStudioCaller } from "#domain/studios/get-studio.ts";
import { forEachEngine } from "../support/engines.ts";
import { hostileIds } from "../support/hostile-ids.ts";
import { getOutcome } from "../support/outcome.ts";
import { newMember, newStudio, newStudioWithRoles } from "../support/users.ts";

/** Whom a role may manage, and which roles it may hand out: the same list. */
const manages: Record<Role, readonly Role[]> = {
  owner: ["owner", "admin", "member"],
  admin: ["admin", "member"],
  member: [],
};

forEachEngine("roles", (fixture) => {
  test("who may give which role to whom, all 27 cells (ROLE-2, T3, T7)", async () => {
    for (const by of roles) {
      for (const from of roles) {
        for (const to of roles) {
          const cast = await newStudioWithRoles(fixture.deps);
          const target = await newMember(fixture.deps, cast.owner, from);
          const may = manages[by].includes(from) && manages[by].includes(to);
          assert.equal(
            await getOutcome(changeRole(fixture.deps, cast[by], { userId: target.user.id, role: to })),
            may ? "ok" : "forbidden",
            `${by}: ${from} → ${to}`,
          );
          const now = await resolveStudioCaller(fixture.deps, target, target.studio.id);
          assert.equal(now.role, may ? to : from, `${by}: ${from} → ${to}`);
        }
      }
    }
  });

  test("who may remove whom, and who may invite as what (ROLE-2, T7)", async () => {
    for (const by of roles) {
      for (const role of roles) {
        const cast = await newStudioWithRoles(fixture.deps);
        const target = await newMember(fixture.deps, cast.owner, role);
        const expected = manages[by].includes(role) ? "ok" : "forbidden";
        assert.equal(
          await getOutcome(createInvitation(fixture.deps, cast[by], { role })),
          expected,
          `${by} invites ${role}`,
        );
        assert.equal(
          await getOutcome(removeMember(fixture.deps, cast[by], { userId: target.user.id })),
          expected,
          `${by} removes ${role}`,
        );
        assert.equal(
          await getOutcome(resolveStudioCaller(fixture.deps, target, target.studio.id)),
          expected === "ok" ? "not_found" : "ok",
        );
      }
    }
  });

  test("an admin and a member cannot raise themselves (ROLE-2, T7)", async () => {
    const { admin, member } = await newStudioWithRoles(fixture.deps);
    assert.equal(
      await getOutcome(changeRole(fixture.deps, admin, { userId: admin.user.id, role: "owner" })),
      "forbidden",
    );
    assert.equal(
      await getOutcome(changeRole(fixture.deps, member, { userId: member.user.id, role: "admin" })),
      "forbidden",
    );
  });

  test("the last owner is not demoted, does not leave, and is not removed (ROLE-3)", async () => {
    const owner = await newStudio(fixture.deps);
    await newMember(fixture.deps, owner, "admin");
    const userId = owner.user.id;
    for (const role of ["admin", "member"] as const)
      assert.equal(await getOutcome(changeRole(fixture.deps, owner, { userId, role })), "forbidden");
    assert.equal(await getOutcome(removeMember(fixture.deps, owner, { userId })), "forbidden");
    assert.equal((await resolveStudioCaller(fixture.deps, owner, owner.studio.id)).role, "owner");
  });

  test("ownership is handed over: make another owner, then step down or leave (ROLE-3, ROLE-4)", async () => {
    const owner = await newStudio(fixture.deps);
    const heir = await newMember(fixture.deps, owner, "member");
    const given = await changeRole(fixture.deps, owner, { userId: heir.user.id, role: "owner" });
    assert.deepEqual(given, {
      studioId: owner.studio.id,
      userId: heir.user.id,
      role: "owner",
      joinedAt: new Date(fixture.clock()).toISOString(),
    });
    await changeRole(fixture.deps, owner, { userId: owner.user.id, role: "member" });
    await removeMember(fixture.deps, await resolveStudioCaller(fixture.deps, owner, owner.studio.id), {
      userId: owner.user.id,
    });
    assert.equal(
      await getOutcome(
        removeMember(fixture.deps, await resolveStudioCaller(fixture.deps, heir, heir.studio.id), {
          userId: heir.user.id,
        }),
      ),
      "forbidden",
    );
  });

  test("removal and demotion show when the studio is next entered (STUDIO-4)", async () => {
    const { owner, admin, member } = await newStudioWithRoles(fixture.deps);
    await changeRole(fixture.deps, owner, { userId: admin.user.id, role: "member" });
    assert.equal((await resolveStudioCaller(fixture.deps, admin, admin.studio.id)).role, "member");
    await removeMember(fixture.deps, owner, { userId: member.user.id });
    assert.equal(await getOutcome(resolveStudioCaller(fixture.deps, member, member.studio.id)), "not_found");
  });

  test("strangers, members of other studios and ids that cannot exist are no members (ERR-not_found, T1, T2)", async () => {
    const owner = await newStudio(fixture.deps);
    const foreign = await newStudio(fixture.deps);
    for (const userId of [foreign.user.id, ...hostileIds("user")]) {
      const shown = JSON.stringify(userId.slice(0, 40));
      assert.equal(await getOutcome(changeRole(fixture.deps, owner, { userId, role: "admin" })), "not_found", shown);
      assert.equal(await getOutcome(removeMember(fixture.deps, owner, { userId })), "not_found", shown);
    }
    assert.equal((await resolveStudioCaller(fixture.deps, foreign, foreign.studio.id)).role, "owner");
  });

  test("a role that is none is refused (ERR-invalid_input)", () => {
    for (const role of ["", "Owner", "root", null, 1, ["owner"]])
      assert.equal(changeRoleInput.safeParse({ userId: "u", role }).success, false);
  });
});
