import type { Studio } from "../api/queries.ts";

/** Whether the member publishes and approves in the web app without asking. The server decides. */
export const mayPublish = ({ approval, role }: Pick<Studio, "approval" | "role">): boolean =>
  approval === "clients" || role !== "member";
