import type { Activity } from "../api/queries.ts";

const fieldLabels: Record<string, string> = {
  body: "text",
  assetIds: "order of files",
  crops: "crop",
  variants: "text per account",
  altText: "alt text",
  tags: "tags",
  filename: "file name",
};

const formatFields = (fields: readonly unknown[]): string =>
  fields.map((field) => fieldLabels[String(field)] ?? String(field)).join(", ");

const changeDescriptions: Partial<Record<string, (detail: Activity["detail"]) => string>> = {
  "post.reverted": ({ restored }) => `revision ${Number(restored)}`,
  "trash.emptied": ({ items }) => `${Number(items)} deleted for good`,
  "publication.failed": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.delayed": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.resolved": ({ to }) => (to === "published" ? "marked as published" : "published again"),
};

/** Describes what changed in several entries of the same action. */
export function describeChanges(entries: readonly Activity[]): string {
  const fields = entries.flatMap(({ detail }) => (Array.isArray(detail["fields"]) ? detail["fields"].map(String) : []));
  return formatFields([...new Set(fields)]);
}

/** Describes what changed, from the entry's details. Empty if they add nothing to the entry's sentence. */
export function describeChange({ action, detail }: Activity): string {
  const readText = (name: string): string => (typeof detail[name] === "string" ? detail[name] : "");
  if (action === "post.updated" && Array.isArray(detail["fields"]))
    return `${formatFields(detail["fields"])}; revision ${Number(detail["revision"])}`;
  if (action === "asset.updated" && Array.isArray(detail["fields"])) return formatFields(detail["fields"]);
  if (action === "client.undone")
    return detail["undoes"] === undefined
      ? `made by ${readText("clientName")}`
      : `made by an earlier undo of ${readText("clientName")}’s changes`;
  const describe = changeDescriptions[action];
  if (describe) return describe(detail);
  if (action === "member.role_changed") return `from ${readText("from")} to ${readText("to")}`;
  if (action === "studio.updated")
    return [
      readText("name") && `name: ${readText("name")}`,
      readText("timezone") && `time zone: ${readText("timezone")}`,
      readText("approval") && `approval needed for: ${readText("approval") === "everyone" ? "everyone" : "AI clients"}`,
    ]
      .filter(Boolean)
      .join("; ");
  if (action.startsWith("invitation.") || action === "member.joined")
    return [readText("role") && `role: ${readText("role")}`, readText("email") && `email: ${readText("email")}`]
      .filter(Boolean)
      .join("; ");
  if (action.startsWith("platform.")) return readText("platform");
  if (action === "client.approved" && readText("redirectHost") !== "")
    return `sends access to ${readText("redirectHost")}`;
  return "";
}
