import assert from "node:assert/strict";
import { test } from "node:test";
import { scopes, type Scope } from "#domain/caller.ts";
import { actionDescriptions, describeAccess, getChosenScopes, getOfferedLevels } from "#http/pages/client-access.ts";
import { tools } from "#mcp/tool-list.ts";

test("the consent page describes the action of every tool, and no other actions (AUTHZ-3)", () => {
  const actions = new Set(tools.map(({ action }) => action));
  assert.deepEqual(Object.keys(actionDescriptions).toSorted(), [...actions].toSorted());
});

test("no tool manages members, invitations or client access, as the consent page says (AUTHZ-3)", () => {
  const managementTools = tools.filter(({ action }) =>
    /^(members|invitations)\.|^clients\.(?!undo$)|^studio\.(?!read$)/.test(action),
  );
  assert.deepEqual(managementTools, []);
});

test("the view-only level lists no action that changes the studio (AUTHZ-3, SCOPE-2)", () => {
  const writeDescriptions = new Set(
    tools.filter(({ hints }) => !hints.readOnly).map(({ action }) => actionDescriptions[action]),
  );
  const descriptions = describeAccess(["studio:read"], "owner");
  assert.ok(descriptions.length > 0);
  assert.deepEqual(
    descriptions.filter((description) => writeDescriptions.has(description)),
    [],
  );
});

test("lists platform connections and activity only for owners and admins (AUTHZ-3)", () => {
  const [asOwner, asAdmin, asMember] = (["owner", "admin", "member"] as const).map((role) =>
    describeAccess(scopes, role),
  );
  assert.deepEqual(asAdmin, asOwner);
  const managerActions = ["platforms.connect", "platforms.disconnect", "activity.list"] as const;
  const managerDescriptions = new Set(managerActions.map((action) => actionDescriptions[action]));
  assert.deepEqual(
    asMember,
    asOwner?.filter((description) => !managerDescriptions.has(description)),
  );
});

test("the offered access levels grant only requested scopes (SCOPE-2)", () => {
  const listOfferedLevels = (requested: readonly Scope[]) =>
    getOfferedLevels(requested).map((level) => [level.value, level.scopes]);
  assert.deepEqual(listOfferedLevels(scopes), [
    ["write", ["studio:read", "studio:write"]],
    ["read", ["studio:read"]],
  ]);
  assert.deepEqual(listOfferedLevels(["studio:read"]), [["read", ["studio:read"]]]);
  assert.deepEqual(listOfferedLevels(["studio:write"]), [["write", ["studio:write"]]]);
});

test("grants publishing without approval only if the user chooses it, and only together with editing (SCOPE-2, PUB-3)", () => {
  assert.deepEqual(getChosenScopes("write", null), ["studio:read", "studio:write"]);
  assert.deepEqual(getChosenScopes("write", "on"), ["studio:read", "studio:write", "studio:publish"]);
  assert.deepEqual(getChosenScopes("read", "on"), ["studio:read"]);
  assert.deepEqual(getChosenScopes(null, "on"), []);
});
