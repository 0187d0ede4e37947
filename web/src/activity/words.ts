import type { Activity, ActivityFilter } from "../api/queries.ts";

/** Each action as the middle of a sentence: "Ada … ". One that has no words here does not compile. */
export const actionWords: Record<NonNullable<ActivityFilter["action"]>, { choice: string; verb: string }> = {
  "studio.created": { choice: "Studio created", verb: "created the studio" },
  "studio.updated": { choice: "Studio changed", verb: "changed the studio" },
  "studio.handed_over": { choice: "Studio handed over", verb: "made an owner of" },
  "member.joined": { choice: "Member joined", verb: "joined" },
  "member.role_changed": { choice: "Role changed", verb: "changed the role of" },
  "member.removed": { choice: "Member removed", verb: "removed" },
  "member.left": { choice: "Member left", verb: "left" },
  "member.disabled": { choice: "Account disabled", verb: "disabled the account of" },
  "member.enabled": { choice: "Account enabled", verb: "enabled the account of" },
  "invitation.created": { choice: "Invitation made", verb: "made an invitation" },
  "invitation.revoked": { choice: "Invitation withdrawn", verb: "withdrew an invitation" },
  "client.approved": { choice: "AI client approved", verb: "approved an AI client" },
  "client.revoked": { choice: "AI client revoked", verb: "revoked an AI client" },
  "client.moved": { choice: "AI client moved here", verb: "moved here with a new connection" },
  "post.created": { choice: "Post created", verb: "created" },
  "post.updated": { choice: "Post changed", verb: "changed" },
  "asset.requested": { choice: "Upload promised", verb: "began to upload a file" },
  "asset.uploaded": { choice: "File uploaded", verb: "uploaded a file" },
  "asset.imported": { choice: "File imported", verb: "imported a file" },
  "asset.attached": { choice: "File put on a post", verb: "put a file on" },
  "asset.refused": { choice: "File refused", verb: "sent a file that was refused" },
  "asset.detached": { choice: "File taken off a post", verb: "took a file off" },
  "asset.updated": { choice: "File described", verb: "changed what is said of a file" },
  "asset.deleted": { choice: "File deleted", verb: "deleted a file" },
  "platform.connected": { choice: "Platform connected", verb: "connected a platform" },
  "platform.disconnected": { choice: "Platform disconnected", verb: "disconnected a platform" },
  "platform.needs_reconnect": { choice: "Platform lost", verb: "lost access to a platform" },
  "upload_link.created": { choice: "Upload link made", verb: "made an upload link for" },
  "upload_link.withdrawn": { choice: "Upload link withdrawn", verb: "withdrew an upload link of" },
};

export const verbFor = (action: string): string =>
  Object.entries(actionWords).find(([name]) => name === action)?.[1].verb ?? action.replace(/[._]/g, " ");

export function actorOf({ user, detail }: Activity): string {
  return user?.name ?? (detail["by"] === "operator" ? "The operator of this server" : "Someone who is gone");
}

const fieldWords: Record<string, string> = {
  body: "text",
  assetIds: "order of files",
  altText: "alt text",
  filename: "file name",
};

const wordsFor = (fields: readonly unknown[]): string =>
  fields.map((field) => fieldWords[String(field)] ?? String(field)).join(", ");

/** What changed, as far as the row tells. */
export function changeIn({ action, detail }: Activity): string {
  const text = (name: string): string => (typeof detail[name] === "string" ? detail[name] : "");
  if (action === "post.updated" && Array.isArray(detail["fields"]))
    return `${wordsFor(detail["fields"])}; revision ${Number(detail["revision"])}`;
  if (action === "asset.updated" && Array.isArray(detail["fields"]))
    return [text("filename"), wordsFor(detail["fields"])].filter(Boolean).join(": ");
  if (action === "member.role_changed") return `from ${text("from")} to ${text("to")}`;
  if (action === "studio.updated")
    return [text("name") && `name: ${text("name")}`, text("timezone") && `time zone: ${text("timezone")}`]
      .filter(Boolean)
      .join("; ");
  if (action.startsWith("invitation.") || action === "member.joined")
    return [text("role") && `as ${text("role")}`, text("email") && `for ${text("email")}`].filter(Boolean).join(" ");
  if (action.startsWith("asset.")) return text("filename");
  if (action.startsWith("platform.")) return [text("platform"), text("account")].filter(Boolean).join(": ");
  if (action === "client.revoked") return text("clientName");
  if (action === "client.approved") return text("redirectHost") && `answers go to ${text("redirectHost")}`;
  return "";
}
