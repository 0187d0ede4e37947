import assert from "node:assert/strict";
import { test } from "node:test";
import { describeMe } from "#domain/access/me.ts";
import { createStudio, createStudioInput } from "#domain/studios/studios.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { listMembers } from "#domain/studios/members.ts";
import type { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { forEachEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { newMember, newStudio, newUser, signInUser } from "../support/users.ts";

forEachEngine("studios", (fixture) => {
  const { deps, clock } = fixture;
  test("a studio has id, name, slug, timezone, approval rule, createdAt (WORD-2, WORD-8)", async () => {
    const creator = await newUser(deps);
    const studio = await createStudio(
      deps,
      creator,
      createStudioInput.parse({ name: "  Café Zürich & Söhne ", timezone: "Europe/Zurich" }),
    );
    const { id, ...rest } = studio;
    assert.ok(isId("studio", id));
    assert.deepEqual(rest, {
      name: "Café Zürich & Söhne",
      slug: "cafe-zurich-sohne",
      timezone: "Europe/Zurich",
      approval: "clients",
      createdAt: new Date(clock()).toISOString(),
    });
  });

  test("the creator becomes the owner, and the studio becomes active (STUDIO-1)", async () => {
    const creator = await newUser(deps);
    await newStudio(deps, creator, "First");
    clock.advance(1000);
    const second = await newStudio(deps, creator, "Second");
    const { activeStudioId, memberships } = await describeMe(deps, creator);
    assert.equal(activeStudioId, second.studio.id);
    assert.deepEqual(
      memberships.map(({ studioName, role }) => `${studioName}: ${role}`),
      ["First: owner", "Second: owner"],
    );
  });

  test("studios created in parallel with the same name get unique slugs (WORD-2)", async () => {
    const creators = await Promise.all(Array.from({ length: 10 }, () => newUser(deps)));
    const createdStudios = await Promise.all(
      creators.map((creator) => createStudio(deps, creator, { name: "Twin", timezone: "UTC" })),
    );
    assert.equal(new Set(createdStudios.map(({ slug }) => slug)).size, 10);
    for (const { slug } of createdStudios) assert.match(slug, /^twin(-[a-z0-9]{6})?$/);
  });

  test("a name without Latin letters still gets a slug (WORD-2)", async () => {
    for (const name of ["日本", "!!!", "😀", "-".repeat(100), "a".repeat(100)]) {
      const { slug } = await createStudio(deps, await newUser(deps), { name, timezone: "UTC" });
      assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/, name);
      assert.ok(slug.length <= 50);
    }
  });

  test("rejects invalid names and unknown time zones (ERR-invalid_input)", () => {
    const invalidNames = ["", "   ", "a\nb", "a\0b", "\ud800", "\u2028", "x".repeat(101), 7, null, ["a"]];
    for (const name of invalidNames)
      assert.equal(createStudioInput.safeParse({ name }).success, false, JSON.stringify(name));
    for (const timezone of ["", "Mars/Phobos", "../x", "\0", "+23:59", "-0300"])
      assert.equal(createStudioInput.safeParse({ name: "A", timezone }).success, false, timezone);
    assert.equal(
      createStudioInput.safeParse({ name: "A", ownerId: "usr_1" }).success,
      false,
      "unknown fields are rejected",
    );
    assert.deepEqual(createStudioInput.parse({ name: "A" }), { name: "A", timezone: "UTC" });
  });

  test("resolves a studio only for its members; other users get the same error as for a missing studio (STUDIO-5, T1)", async () => {
    const owner = await newStudio(deps);
    const stranger = await newUser(deps);
    const errors = new Set<string>();
    for (const id of [owner.studio.id, ...listHostileIds("studio")])
      await assert.rejects(resolveStudioCaller(deps, stranger, id), (error: AppError) => {
        errors.add(`${error.code} ${error.message}`);
        return error.code === "not_found";
      });
    assert.equal(errors.size, 1);
    assert.equal((await resolveStudioCaller(deps, owner, owner.studio.id)).role, "owner");
  });

  test("lists members in the order they joined (ROLE-4)", async () => {
    const owner = await newStudio(deps);
    clock.advance(1);
    const admin = await newMember(deps, owner, "admin");
    clock.advance(1);
    const member = await newMember(deps, owner, "member");
    await newMember(deps, await newStudio(deps), "member");
    const { members } = await listMembers(deps, member);
    assert.deepEqual(
      members.map(({ userId }) => userId),
      [owner, admin, member].map(({ user }) => user.id),
    );
    assert.deepEqual(Object.keys(members[0] ?? {}), ["userId", "name", "email", "role", "joinedAt"]);
  });

  test("the database rejects unknown roles and users, and a studio without an owner (WORD-3)", async () => {
    const { studio, user } = await newStudio(deps);
    const { q } = fixture.database;
    const role = "root" as never;
    const unknownUser = { studioId: studio.id, userId: "usr_unknown", role: "member" as const, joinedAt: 1 };
    await assert.rejects(q.updateTable("memberships").set({ role }).where("userId", "=", user.id).execute());
    await assert.rejects(q.updateTable("studios").set({ ownerCount: 0 }).where("id", "=", studio.id).execute());
    await assert.rejects(q.insertInto("memberships").values(unknownUser).execute());
    assert.equal((await resolveStudioCaller(deps, await signInUser(deps, user), studio.id)).role, "owner");
  });
});
