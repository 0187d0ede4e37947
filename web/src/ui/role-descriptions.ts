import type { Role } from "../api/queries.ts";

/** What a role means, for whoever chooses one. What it may do is the server's to say. */
export const roleDescriptions: Record<Role, string> = {
  owner: "Everything, including other owners and deleting the studio",
  admin: "Manages people, AI clients and platforms",
  member: "Works on posts and their files",
};
