import { scopes, type Scope } from "#domain/caller.ts";
import { may, type Action, type Role } from "#domain/policy.ts";
import { tools } from "#mcp/tool-list.ts";

/** What a client can do with the tools of each action. A test fails on a tool without a sentence, and the reverse. */
export const actionSentences: Partial<Record<Action, string>> = {
  "studio.read": "See your name, email and role, and the studio’s name and limits",
  "posts.read": "Read posts",
  "posts.write": "Create, edit and archive posts",
  "assets.read": "View and download files",
  "assets.write": "Add, edit and delete files, and create links that let anyone upload to a post",
  "platforms.read": "See which social accounts are connected",
  "platforms.connect": "Start connecting a social account, which you finish in your browser",
  "platforms.disconnect": "Disconnect social accounts",
  "activity.list": "Read the studio’s activity: who did what, and when",
};

interface AccessLevel {
  /** As the consent form sends it. */
  value: string;
  label: string;
  scopes: readonly Scope[];
}

/** What a person can choose on the consent page, broadest first; the first offered level is preselected. */
const accessLevels: readonly AccessLevel[] = [
  { value: "write", label: "View and edit", scopes },
  { value: "read", label: "View only", scopes: ["studio:read"] },
];

/** The levels to choose from, cut to the requested scopes; without those that would then equal a narrower one. */
export function offeredLevels(requested: readonly Scope[]): AccessLevel[] {
  const levels = accessLevels.map((level) => ({
    ...level,
    scopes: level.scopes.filter((scope) => requested.includes(scope)),
  }));
  return levels.filter(
    (level, i) => level.scopes.length > 0 && level.scopes.length > (levels[i + 1]?.scopes.length ?? 0),
  );
}

export function scopesOfLevel(value: string | null): readonly Scope[] {
  return accessLevels.find((level) => level.value === value)?.scopes ?? [];
}

/** What a client can do with these scopes for someone with this role. */
export function describeAccess(granted: readonly Scope[], role: Role): string[] {
  const actions = new Set(
    tools.filter(({ scope, action }) => granted.includes(scope) && may(role, action)).map(({ action }) => action),
  );
  return Object.entries(actionSentences).flatMap(([action, sentence]) =>
    actions.has(action as Action) ? [sentence] : [],
  );
}
