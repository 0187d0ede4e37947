import type { Role, Studio } from "../api/queries.ts";

export const roleLabels: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };

const roleDescriptions: Record<Exclude<Role, "member">, string> = {
  owner: "Full access, including managing owners, transferring ownership and deleting the studio",
  admin: "Does everything a member can, and manages members, AI clients, platforms and settings",
};

/** A summary for users. The server's policy decides what each role may do. */
export function describeRole(role: Role, approval: Studio["approval"]): string {
  if (role !== "member") return roleDescriptions[role];
  return approval === "everyone"
    ? "Works on posts and files, and proposes publications, which owners and admins approve"
    : "Works on posts and files, publishes, and approves what AI clients and other members propose";
}

/** The role inside a sentence: "a member", "an owner". */
export const withArticle = (role: Role): string => `${role === "member" ? "a" : "an"} ${role}`;
