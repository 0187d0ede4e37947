import type { Role } from "../api/queries.ts";

export const roleLabels: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };

/** Summaries of the roles. The server's policy decides what each one may do. */
export const roleDescriptions: Record<Role, string> = {
  owner: "Full access, including managing owners and deleting the studio",
  admin: "Manages members, AI clients and platforms",
  member: "Works on posts and their files",
};

/** The role inside a sentence: "a member", "an owner". */
export const withArticle = (role: Role): string => `${role === "member" ? "a" : "an"} ${role}`;
