import type { Activity, ActivityFilter } from "../api/queries.ts";
import { capitalize, formatActor } from "../ui/format-actor.ts";

/** The verb follows the actor's name: "Ada created the studio". The type requires an entry for every action. */
export const actionLabels: Record<NonNullable<ActivityFilter["action"]>, { filterLabel: string; verb: string }> = {
  "studio.created": { filterLabel: "Studio created", verb: "created the studio" },
  "studio.updated": { filterLabel: "Studio changed", verb: "changed the studio" },
  "studio.handed_over": { filterLabel: "Ownership transferred", verb: "transferred ownership to" },
  "member.joined": { filterLabel: "Member joined", verb: "joined" },
  "member.role_changed": { filterLabel: "Role changed", verb: "changed the role of" },
  "member.removed": { filterLabel: "Member removed", verb: "removed" },
  "member.left": { filterLabel: "Member left", verb: "left" },
  "member.disabled": { filterLabel: "Account disabled", verb: "disabled the account of" },
  "member.enabled": { filterLabel: "Account enabled", verb: "enabled the account of" },
  "invitation.created": { filterLabel: "Invitation created", verb: "created an invitation" },
  "invitation.revoked": { filterLabel: "Invitation revoked", verb: "revoked an invitation" },
  "client.approved": { filterLabel: "AI client approved", verb: "approved an AI client" },
  "client.revoked": { filterLabel: "AI client revoked", verb: "revoked an AI client" },
  "client.moved": { filterLabel: "AI client moved here", verb: "moved an AI client here" },
  "client.undone": { filterLabel: "AI client’s changes undone", verb: "undid changes" },
  "post.created": { filterLabel: "Post created", verb: "created" },
  "post.updated": { filterLabel: "Post changed", verb: "changed" },
  "post.reverted": { filterLabel: "Earlier version restored", verb: "restored an earlier version of" },
  "post.deleted": { filterLabel: "Post deleted", verb: "deleted" },
  "post.restored": { filterLabel: "Post restored", verb: "restored" },
  "asset.requested": { filterLabel: "Upload started", verb: "started uploading a file" },
  "asset.uploaded": { filterLabel: "File uploaded", verb: "uploaded a file" },
  "asset.imported": { filterLabel: "File imported", verb: "imported a file" },
  "asset.copied": { filterLabel: "File copied", verb: "copied a file" },
  "asset.attached": { filterLabel: "File attached", verb: "attached a file to" },
  "asset.refused": { filterLabel: "File rejected", verb: "uploaded a file that was rejected" },
  "asset.detached": { filterLabel: "File removed from post", verb: "removed a file from" },
  "asset.updated": { filterLabel: "File details edited", verb: "edited file details" },
  "asset.deleted": { filterLabel: "File deleted", verb: "deleted a file" },
  "asset.restored": { filterLabel: "File restored", verb: "restored a file from the trash" },
  "trash.emptied": { filterLabel: "Trash emptied", verb: "emptied the trash" },
  "publication.proposed": { filterLabel: "Publication proposed", verb: "asked to publish" },
  "publication.scheduled": { filterLabel: "Publication scheduled", verb: "scheduled" },
  "publication.approved": { filterLabel: "Publication approved", verb: "approved" },
  "publication.returned": { filterLabel: "Approval removed by an edit", verb: "edited" },
  "publication.rescheduled": { filterLabel: "Publication rescheduled", verb: "rescheduled" },
  "publication.canceled": { filterLabel: "Publication canceled", verb: "canceled publishing" },
  "publication.started": { filterLabel: "Publishing started", verb: "started publishing" },
  "publication.committed": { filterLabel: "Sent to the platform", verb: "sent" },
  "publication.delayed": { filterLabel: "Publishing delayed", verb: "delayed publishing" },
  "publication.published": { filterLabel: "Published", verb: "published" },
  "publication.failed": { filterLabel: "Publishing failed", verb: "could not publish" },
  "publication.unconfirmed": { filterLabel: "Publication unconfirmed", verb: "got no confirmation for" },
  "publication.missed": { filterLabel: "Publication missed", verb: "missed the scheduled time of" },
  "publication.resolved": { filterLabel: "Unconfirmed publication resolved", verb: "resolved" },
  "platform.connected": { filterLabel: "Platform connected", verb: "connected a platform" },
  "platform.disconnected": { filterLabel: "Platform disconnected", verb: "disconnected a platform" },
  "platform.needs_reconnect": { filterLabel: "Platform access lost", verb: "lost access to a platform" },
  "upload_link.created": { filterLabel: "Upload link created", verb: "created an upload link for" },
  "upload_link.withdrawn": { filterLabel: "Upload link withdrawn", verb: "withdrew an upload link for" },
};

export const getActionVerb = (action: string): string =>
  Object.entries(actionLabels).find(([name]) => name === action)?.[1].verb ?? action.replace(/[._]/g, " ");

/** Whether the entry's client is what the user approved or moved, rather than what acted. */
const isAboutClient = (action: string): boolean => action === "client.approved" || action === "client.moved";

/** "Claude (for Ada)" if an AI client acted. */
export function getActorName({ action, user, client, detail }: Activity): string {
  // The worker publishes without a user.
  if (!user && !client && action.startsWith("publication.")) return "Atelier";
  if (!user && !client) return detail["by"] === "operator" ? "The operator of this server" : "Former member";
  return capitalize(formatActor(user, isAboutClient(action) ? null : client));
}

const fieldLabels: Record<string, string> = {
  body: "text",
  assetIds: "order of files",
  variants: "text per account",
  altText: "alt text",
  tags: "tags",
  filename: "file name",
};

const formatFields = (fields: readonly unknown[]): string =>
  fields.map((field) => fieldLabels[String(field)] ?? String(field)).join(", ");

/** Actions whose description depends on nothing but the details. */
const changeDescriptions: Partial<Record<string, (detail: Activity["detail"]) => string>> = {
  "post.restored": () => "from the trash",
  "post.reverted": ({ restored }) => `revision ${Number(restored)}`,
  "trash.emptied": ({ items }) => `${Number(items)} deleted for good`,
  "publication.returned": () => "so it needs a new approval",
  "publication.committed": () => "to the platform",
  "publication.failed": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.delayed": ({ reason }) => (typeof reason === "string" ? reason : ""),
  "publication.resolved": ({ to }) => (to === "published" ? "marked as published" : "published again"),
};

/** Describes what changed from the details of the entry; empty if they say nothing more. */
export function describeChange({ action, client, detail }: Activity): string {
  const readText = (name: string): string => (typeof detail[name] === "string" ? detail[name] : "");
  if (action === "post.updated" && Array.isArray(detail["fields"]))
    return `${formatFields(detail["fields"])}; revision ${Number(detail["revision"])}`;
  if (action === "asset.updated" && Array.isArray(detail["fields"]))
    return [readText("filename"), formatFields(detail["fields"])].filter(Boolean).join(": ");
  if (action === "client.undone")
    return detail["undoes"] === undefined
      ? `made by ${readText("clientName")}`
      : `that an earlier undo of ${readText("clientName")} made`;
  const describe = changeDescriptions[action];
  if (describe) return describe(detail);
  if (action === "member.role_changed") return `from ${readText("from")} to ${readText("to")}`;
  if (action === "studio.updated")
    return [
      readText("name") && `name: ${readText("name")}`,
      readText("timezone") && `time zone: ${readText("timezone")}`,
      readText("approval") && `approval needed by: ${readText("approval") === "everyone" ? "everyone" : "AI clients"}`,
    ]
      .filter(Boolean)
      .join("; ");
  if (action.startsWith("invitation.") || action === "member.joined")
    return [readText("role") && `role: ${readText("role")}`, readText("email") && `email: ${readText("email")}`]
      .filter(Boolean)
      .join("; ");
  if (action.startsWith("asset.")) return readText("filename");
  if (action.startsWith("platform.")) return [readText("platform"), readText("account")].filter(Boolean).join(": ");
  if (action === "client.revoked") return readText("clientName");
  if (isAboutClient(action))
    return [client?.name, readText("redirectHost") && `sends access to ${readText("redirectHost")}`]
      .filter(Boolean)
      .join("; ");
  return "";
}
