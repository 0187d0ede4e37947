import assert from "node:assert/strict";
import { test } from "node:test";
import { scopes, type Scope } from "#domain/caller.ts";
import { actionDescriptions, describeAccess, getOfferedLevels } from "#http/pages/client-access.ts";
import { tools } from "#mcp/tool-list.ts";

test("every action of a tool has a sentence on the consent page, and every sentence a tool (AUTHZ-3)", () => {
  const actions = new Set(tools.map(({ action }) => action));
  assert.deepEqual(Object.keys(actionDescriptions).toSorted(), [...actions].toSorted());
});

test("a client cannot manage members, invitations or its own access, as the consent page says (AUTHZ-3)", () => {
  const managing = tools.filter(({ action }) => /^(members|invitations|clients)\.|^studio\.(?!read$)/.test(action));
  assert.deepEqual(managing, []);
});

test("viewing only lists nothing that changes the studio (AUTHZ-3, SCOPE-2)", () => {
  const changing = new Set(
    tools.filter(({ hints }) => !hints.readOnly).map(({ action }) => actionDescriptions[action]),
  );
  const listed = describeAccess(["studio:read"], "owner");
  assert.ok(listed.length > 0);
  assert.deepEqual(
    listed.filter((sentence) => changing.has(sentence)),
    [],
  );
});

test("only owners and admins read about connecting platforms and about activity (AUTHZ-3)", () => {
  const [asOwner, asAdmin, asMember] = (["owner", "admin", "member"] as const).map((role) =>
    describeAccess(scopes, role),
  );
  assert.deepEqual(asAdmin, asOwner);
  const onlyManagers = ["platforms.connect", "platforms.disconnect", "activity.list"] as const;
  const withheld = new Set(onlyManagers.map((action) => actionDescriptions[action]));
  assert.deepEqual(
    asMember,
    asOwner?.filter((sentence) => !withheld.has(sentence)),
  );
});

test("the levels to choose from grant what was requested and nothing else (SCOPE-2)", () => {
  const offered = (requested: readonly Scope[]) =>
    getOfferedLevels(requested).map((level) => [level.value, level.scopes]);
  assert.deepEqual(offered(scopes), [
    ["write", scopes],
    ["read", ["studio:read"]],
  ]);
  assert.deepEqual(offered(["studio:read"]), [["read", ["studio:read"]]]);
  assert.deepEqual(offered(["studio:write"]), [["write", ["studio:write"]]]);
});
