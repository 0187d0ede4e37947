import { capitalize } from "../ui/format-actor.ts";
import type { ActivityEntry } from "./group-activity.ts";

const fieldLabels: Record<string, string> = {
  body: "text",
  assetIds: "order of files",
  crops: "crops",
  variants: "text or files per account",
  altText: "alt text",
  tags: "tags",
  filename: "file name",
};

const listFormat = new Intl.ListFormat("en", { type: "conjunction" });

/** Describes what changed in several entries of the same action. Names the new status if they have the same one. */
export function describeChanges(entries: readonly Pick<ActivityEntry, "detail">[]): string {
  const fields = new Set(
    entries.flatMap(({ detail }) => (Array.isArray(detail["fields"]) ? detail["fields"].map(String) : [])),
  );
  const statuses = new Set(entries.map(({ detail }) => detail["status"]).filter((status) => status !== undefined));
  const [status] = statuses;
  if (typeof status === "string" && statuses.size === 1 && fields.delete("status"))
    fields.add(`status to ${capitalize(status)}`);
  if (fields.size === 0) return "";
  return `Changed the ${listFormat.format([...fields].map((field) => fieldLabels[field] ?? field))}`;
}

const changeDescriptions: Partial<Record<string, (detail: ActivityEntry["detail"]) => string>> = {
  "post.reverted": ({ restored }) => `Revision ${Number(restored)}`,
  "trash.emptied": ({ items }) => `${Number(items)} deleted for good`,
  "publication.incomplete": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.failed": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.delayed": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.resolved": ({ to }) => (to === "published" ? "Marked as published" : "Published again"),
};

/** Describes what changed, from the entry's details. Empty if they add nothing to the entry's sentence. */
export const describeChange = (entry: Pick<ActivityEntry, "action" | "detail">): string[] =>
  listParts(entry).filter((part) => part !== "");

function listParts({ action, detail }: Pick<ActivityEntry, "action" | "detail">): string[] {
  const readText = (name: string): string => (typeof detail[name] === "string" ? detail[name] : "");
  if (action === "post.updated" && Array.isArray(detail["fields"]))
    return [describeChanges([{ detail }]), `revision ${Number(detail["revision"])}`];
  if (action === "asset.updated" && Array.isArray(detail["fields"])) return [describeChanges([{ detail }])];
  if (action === "client.undone") return [`Made by ${readText("clientName")}`];
  const describe = changeDescriptions[action];
  if (describe) return [describe(detail)];
  if (action === "member.role_changed") return [`From ${readText("from")} to ${readText("to")}`];
  if (action === "studio.updated")
    return [
      readText("name") && `Name: ${readText("name")}`,
      readText("timezone") && `Time zone: ${readText("timezone")}`,
      typeof detail["slots"] === "number" ? `Weekly slots: ${detail["slots"]}` : "",
      readText("approval") && `Approval needed for ${readText("approval") === "everyone" ? "everyone" : "AI clients"}`,
    ];
  if (action === "invitation.created") return [`Invited as ${readText("role")}`, readText("email")];
  if (action === "member.joined") return [capitalize(readText("role"))];
  if (action.startsWith("platform.")) return [readText("platform")];
  if (action === "client.connected") return [`Access given by ${readText("issuer")}`];
  if (action === "client.approved" && readText("redirectHost") !== "")
    return [`Gave access to ${readText("redirectHost")}`];
  return [];
}
