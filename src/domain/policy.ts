import { AppError } from "#lib/errors.ts";

/** From the one with the most permissions to the one with the fewest. */
export const roles = ["owner", "admin", "member"] as const;
export type Role = (typeof roles)[number];

/**
 * Who needs an approval to publish. `clients`: AI clients without the scope `studio:publish`. `everyone`: those
 * clients, and also all members who are not owners or admins.
 */
export const approvalRules = ["clients", "everyone"] as const;
export type ApprovalRule = (typeof approvalRules)[number];

const allRoles: readonly Role[] = roles;
const managers: readonly Role[] = ["owner", "admin"];

/** Which roles may do what in a studio. Tools and the web app both use this table. */
export const policy = {
  "studio.read": allRoles,
  "studio.update": managers,
  "studio.delete": ["owner"],
  "members.list": allRoles,
  "members.changeRole": managers,
  "members.remove": managers,
  "members.leave": allRoles,
  "invitations.list": managers,
  "invitations.create": managers,
  "invitations.revoke": managers,
  "posts.read": allRoles,
  "posts.write": allRoles,
  "trash.empty": managers,
  "reviews.withdrawAny": managers,
  "assets.read": allRoles,
  "assets.write": allRoles,
  "publications.read": allRoles,
  "publications.request": allRoles,
  // Under the rule `everyone`, only for owners and admins: see `mayPublishWithoutApproval`.
  "publications.approve": allRoles,
  "calendarFeeds.use": allRoles,
  "slots.read": allRoles,
  "slots.update": managers,
  "platforms.read": allRoles,
  "platforms.connect": managers,
  "platforms.disconnect": managers,
  "activity.list": managers,
  "webhooks.manage": managers,
  "clients.list": allRoles,
  "clients.listAll": managers,
  "clients.undo": allRoles,
  "clients.undoAny": managers,
  "clients.revoke": allRoles,
  "clients.revokeAny": managers,
} as const satisfies Record<string, readonly Role[]>;

export type Action = keyof typeof policy;

/** For each role, the roles that it may assign, and whose members it may manage. */
const manageableRoles: Record<Role, readonly Role[]> = {
  owner: roles,
  admin: ["admin", "member"],
  member: [],
};

/** A role's permissions, for the UI only: verbs call `authorize`. */
export function listPermissions(role: Role): { may: Action[]; manages: readonly Role[] } {
  const actions = Object.keys(policy) as Action[];
  return { may: actions.filter((action) => may(role, action)), manages: manageableRoles[role] };
}

export const may = (role: Role, action: Action): boolean => (policy[action] as readonly Role[]).includes(role);

/** Throws `forbidden` unless the caller's role allows the action. Verbs call it first, before they look anything up. */
export function authorize(caller: { role: Role }, action: Action): void {
  if (may(caller.role, action)) return;
  const requiredRoles = policy[action].join(" or ");
  throw new AppError("forbidden:role", { role: caller.role, needed: requiredRoles });
}

export const mayManage = (role: Role, targetRole: Role): boolean => manageableRoles[role].includes(targetRole);

/** Whether `role` allows less than `other`. */
export const isLowerRole = (role: Role, other: Role): boolean => roles.indexOf(role) > roles.indexOf(other);

/** The approval rule has to allow the caller's role. An AI client also needs the scope `studio:publish`. */
export function mayPublishWithoutApproval(
  caller: { role: Role; client?: unknown; scopes: readonly string[] },
  approval: ApprovalRule,
): boolean {
  const isAllowedByRole = approval === "clients" || managers.includes(caller.role);
  return isAllowedByRole && (caller.client === undefined || caller.scopes.includes("studio:publish"));
}

/** Throws `forbidden` unless the caller may assign `role` and manage members who have it. */
export function authorizeRoleManagement(caller: { role: Role }, role: Role): void {
  if (mayManage(caller.role, role)) return;
  throw new AppError("forbidden:managed_role", { role: caller.role, managedRole: role });
}
