import type { Activity, ActivityFilter } from "../api/queries.ts";

/** Each action as the middle of a sentence: "Ada … ". One that has no words here does not compile. */
export const actionLabels: Record<NonNullable<ActivityFilter["action"]>, { filterLabel: string; verb: string }> = {
  "studio.created": { filterLabel: "Studio created", verb: "created the studio" },
  "studio.updated": { filterLabel: "Studio changed", verb: "changed the studio" },
  "studio.handed_over": { filterLabel: "Studio handed over", verb: "made an owner of" },
  "member.joined": { filterLabel: "Member joined", verb: "joined" },
  "member.role_changed": { filterLabel: "Role changed", verb: "changed the role of" },
  "member.removed": { filterLabel: "Member removed", verb: "removed" },
  "member.left": { filterLabel: "Member left", verb: "left" },
  "member.disabled": { filterLabel: "Account disabled", verb: "disabled the account of" },
  "member.enabled": { filterLabel: "Account enabled", verb: "enabled the account of" },
  "invitation.created": { filterLabel: "Invitation made", verb: "made an invitation" },
  "invitation.revoked": { filterLabel: "Invitation withdrawn", verb: "withdrew an invitation" },
  "client.approved": { filterLabel: "AI client approved", verb: "approved an AI client" },
  "client.revoked": { filterLabel: "AI client revoked", verb: "revoked an AI client" },
  "client.moved": { filterLabel: "AI client moved here", verb: "moved here with a new connection" },
  "post.created": { filterLabel: "Post created", verb: "created" },
  "post.updated": { filterLabel: "Post changed", verb: "changed" },
  "asset.requested": { filterLabel: "Upload promised", verb: "began to upload a file" },
  "asset.uploaded": { filterLabel: "File uploaded", verb: "uploaded a file" },
  "asset.imported": { filterLabel: "File imported", verb: "imported a file" },
  "asset.attached": { filterLabel: "File put on a post", verb: "put a file on" },
  "asset.refused": { filterLabel: "File refused", verb: "sent a file that was refused" },
  "asset.detached": { filterLabel: "File taken off a post", verb: "took a file off" },
  "asset.updated": { filterLabel: "File described", verb: "changed what is said of a file" },
  "asset.deleted": { filterLabel: "File deleted", verb: "deleted a file" },
  "platform.connected": { filterLabel: "Platform connected", verb: "connected a platform" },
  "platform.disconnected": { filterLabel: "Platform disconnected", verb: "disconnected a platform" },
  "platform.needs_reconnect": { filterLabel: "Platform lost", verb: "lost access to a platform" },
  "upload_link.created": { filterLabel: "Upload link made", verb: "made an upload link for" },
  "upload_link.withdrawn": { filterLabel: "Upload link withdrawn", verb: "withdrew an upload link of" },
};

export const getActionVerb = (action: string): string =>
  Object.entries(actionLabels).find(([name]) => name === action)?.[1].verb ?? action.replace(/[._]/g, " ");

export function getActorName({ user, detail }: Activity): string {
  return user?.name ?? (detail["by"] === "operator" ? "The operator of this server" : "Someone who is gone");
}

const fieldLabels: Record<string, string> = {
  body: "text",
  assetIds: "order of files",
  altText: "alt text",
  filename: "file name",
};

const formatFields = (fields: readonly unknown[]): string =>
  fields.map((field) => fieldLabels[String(field)] ?? String(field)).join(", ");

/** What changed, as far as the row tells. */
export function describeChange({ action, detail }: Activity): string {
  const readText = (name: string): string => (typeof detail[name] === "string" ? detail[name] : "");
  if (action === "post.updated" && Array.isArray(detail["fields"]))
    return `${formatFields(detail["fields"])}; revision ${Number(detail["revision"])}`;
  if (action === "asset.updated" && Array.isArray(detail["fields"]))
    return [readText("filename"), formatFields(detail["fields"])].filter(Boolean).join(": ");
  if (action === "member.role_changed") return `from ${readText("from")} to ${readText("to")}`;
  if (action === "studio.updated")
    return [
      readText("name") && `name: ${readText("name")}`,
      readText("timezone") && `time zone: ${readText("timezone")}`,
    ]
      .filter(Boolean)
      .join("; ");
  if (action.startsWith("invitation.") || action === "member.joined")
    return [readText("role") && `as ${readText("role")}`, readText("email") && `for ${readText("email")}`]
      .filter(Boolean)
      .join(" ");
  if (action.startsWith("asset.")) return readText("filename");
  if (action.startsWith("platform.")) return [readText("platform"), readText("account")].filter(Boolean).join(": ");
  if (action === "client.revoked") return readText("clientName");
  if (action === "client.approved") return readText("redirectHost") && `answers go to ${readText("redirectHost")}`;
  return "";
}
