import type { Studio } from "../api/queries.ts";

/**
 * Whether the current user can publish and approve in the web app without another person's approval. With the rule
 * `clients`, only publications that AI clients request need approval. For display only: the server enforces the rule.
 */
export const mayPublishWithoutApproval = ({ approval, role }: Pick<Studio, "approval" | "role">): boolean =>
  approval === "clients" || role !== "member";
