import type { Role } from "../api/queries.ts";

export const roleLabels: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };

/** Summaries for users. The server's policy decides what each role may do. */
export const roleDescriptions: Record<Role, string> = {
  owner: "Full access, including managing owners, transferring ownership and deleting the studio",
  admin: "Does everything a member can, and manages members, AI clients, platforms and settings",
  member: "Works on posts and files and publishes posts, with approval if the studio requires it",
};

/** The role inside a sentence: "a member", "an owner". */
export const withArticle = (role: Role): string => `${role === "member" ? "a" : "an"} ${role}`;
