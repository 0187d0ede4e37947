import type { Scope } from "#domain/caller.ts";
import { may, type Action, type Role } from "#domain/policy.ts";
import { tools } from "#mcp/tool-list.ts";

/** Describes each action that a tool performs. A test keeps this table and the tools in sync. */
export const actionDescriptions: Partial<Record<Action, string>> = {
  "studio.read": "See your name, email and role, and the studio’s name and limits",
  "posts.read": "Read posts and their comments",
  "posts.write": "Create, edit, comment on, archive and delete posts",
  "assets.read": "View and download files",
  "assets.write": "Add, edit and delete files, and create links that let anyone upload to a post",
  "publications.read": "See what is scheduled and published",
  "publications.request":
    "Propose publications for a person to approve; reschedule or cancel any that hasn’t started, including other people’s",
  "clients.undo": "Undo its own changes",
  "platforms.read": "See which social accounts are connected",
  "platforms.connect": "Start connecting a social account",
  "platforms.disconnect": "Disconnect social accounts",
  "activity.list": "Read the studio’s activity",
};

interface AccessLevel {
  /** The form value. */
  value: string;
  label: string;
  scopes: readonly Scope[];
}

/** Choices on the consent page, broadest first. The first one offered is preselected. */
const accessLevels: readonly AccessLevel[] = [
  { value: "write", label: "View and edit", scopes: ["studio:read", "studio:write"] },
  { value: "read", label: "View only", scopes: ["studio:read"] },
];

/** Limits each level to the requested scopes and omits levels that then equal a narrower one. */
export function getOfferedLevels(requestedScopes: readonly Scope[]): AccessLevel[] {
  const levels = accessLevels.map((level) => ({
    ...level,
    scopes: level.scopes.filter((scope) => requestedScopes.includes(scope)),
  }));
  return levels.filter(
    (level, i) => level.scopes.length > 0 && level.scopes.length > (levels[i + 1]?.scopes.length ?? 0),
  );
}

/** Publishing without approval is a separate choice that requires the level that can edit. */
export function getChosenScopes(level: string | null, publish: string | null): readonly Scope[] {
  const levelScopes = accessLevels.find(({ value }) => value === level)?.scopes ?? [];
  return publish === "on" && levelScopes.includes("studio:write") ? [...levelScopes, "studio:publish"] : levelScopes;
}

/** Describes what a client can do with these scopes for a user with this role. */
export function describeAccess(grantedScopes: readonly Scope[], role: Role): string[] {
  const actions = new Set(
    tools.filter(({ scope, action }) => grantedScopes.includes(scope) && may(role, action)).map(({ action }) => action),
  );
  return Object.entries(actionDescriptions).flatMap(([action, description]) =>
    actions.has(action as Action) ? [description] : [],
  );
}
