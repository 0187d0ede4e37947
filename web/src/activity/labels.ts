import type { Activity, ActivityFilter } from "../api/queries.ts";
import { capitalize, formatActor } from "../ui/format-actor.ts";

/**
 * The verb follows the actor's name: "Ada created the studio". `{post}` is the name of the entry's post, and a part in
 * brackets is omitted if the entry has no such object. The type requires an entry for every action.
 */
const actionLabels: Record<NonNullable<ActivityFilter["action"]>, { filterLabel: string; verb: string }> = {
  "studio.created": { filterLabel: "Studio created", verb: "created the studio" },
  "studio.updated": { filterLabel: "Studio changed", verb: "changed the studio" },
  "studio.handed_over": { filterLabel: "Ownership transferred", verb: "transferred ownership to {member}" },
  "member.joined": { filterLabel: "Member joined", verb: "joined" },
  "member.role_changed": { filterLabel: "Role changed", verb: "changed the role of {member}" },
  "member.removed": { filterLabel: "Member removed", verb: "removed {member}" },
  "member.left": { filterLabel: "Member left", verb: "left" },
  "member.disabled": { filterLabel: "Account disabled", verb: "disabled the account of {member}" },
  "member.enabled": { filterLabel: "Account enabled", verb: "enabled the account of {member}" },
  "invitation.created": { filterLabel: "Invitation created", verb: "created an invitation" },
  "invitation.revoked": { filterLabel: "Invitation revoked", verb: "revoked an invitation" },
  "client.approved": { filterLabel: "AI client approved", verb: "approved {client}" },
  "client.revoked": { filterLabel: "AI client revoked", verb: "revoked {client}" },
  "client.moved": { filterLabel: "AI client moved here", verb: "moved {client} to this studio" },
  "client.undone": { filterLabel: "AI client’s changes undone", verb: "undid changes" },
  "post.created": { filterLabel: "Post created", verb: "created {post}" },
  "post.updated": { filterLabel: "Post changed", verb: "changed {post}" },
  "post.reverted": { filterLabel: "Earlier revision restored", verb: "restored an earlier revision of {post}" },
  "post.deleted": { filterLabel: "Post deleted", verb: "deleted {post}" },
  "post.restored": { filterLabel: "Post restored", verb: "restored {post} from the trash" },
  "comment.added": { filterLabel: "Comment added", verb: "commented on {post}" },
  "comment.resolved": { filterLabel: "Thread resolved", verb: "resolved a thread on {post}" },
  "comment.reopened": { filterLabel: "Thread reopened", verb: "reopened a thread on {post}" },
  "comment.deleted": { filterLabel: "Comment deleted", verb: "deleted a comment on {post}" },
  "asset.requested": { filterLabel: "Upload started", verb: "started uploading {asset}[ to {post}]" },
  "asset.uploaded": { filterLabel: "File uploaded", verb: "uploaded {asset}" },
  "asset.imported": { filterLabel: "File imported", verb: "imported {asset}[ to {post}]" },
  "asset.copied": { filterLabel: "File copied", verb: "copied {asset}" },
  "asset.attached": { filterLabel: "File attached", verb: "attached {asset} to {post}" },
  "asset.refused": { filterLabel: "File rejected", verb: "uploaded {asset}, which was rejected" },
  "asset.detached": { filterLabel: "File removed from post", verb: "removed {asset} from {post}" },
  "asset.updated": { filterLabel: "File details edited", verb: "edited the details of {asset}" },
  "asset.deleted": { filterLabel: "File deleted", verb: "deleted {asset}" },
  "asset.restored": { filterLabel: "File restored", verb: "restored {asset} from the trash" },
  "trash.emptied": { filterLabel: "Trash emptied", verb: "emptied the trash" },
  "publication.proposed": {
    filterLabel: "Publication proposed",
    verb: "asked to publish {publication}[ to {account}]",
  },
  "publication.scheduled": { filterLabel: "Publication scheduled", verb: "scheduled {publication}[ for {account}]" },
  "publication.approved": { filterLabel: "Publication approved", verb: "approved {publication}[ for {account}]" },
  "publication.returned": {
    filterLabel: "Approval removed by an edit",
    verb: "edited {publication}[ for {account}], so it needs a new approval",
  },
  "publication.rescheduled": {
    filterLabel: "Publication rescheduled",
    verb: "rescheduled {publication}[ for {account}]",
  },
  "publication.canceled": {
    filterLabel: "Publication canceled",
    verb: "canceled publishing {publication}[ to {account}]",
  },
  "publication.started": { filterLabel: "Publishing started", verb: "started publishing {publication}[ to {account}]" },
  "publication.committed": { filterLabel: "Sent to the platform", verb: "sent {publication} to {account}" },
  "publication.delayed": { filterLabel: "Publishing delayed", verb: "delayed publishing {publication}[ to {account}]" },
  "publication.published": { filterLabel: "Published", verb: "published {publication}[ to {account}]" },
  "publication.failed": { filterLabel: "Publishing failed", verb: "could not publish {publication}[ to {account}]" },
  "publication.unconfirmed": {
    filterLabel: "Publication unconfirmed",
    verb: "got no confirmation for {publication}[ from {account}]",
  },
  "publication.missed": {
    filterLabel: "Publication missed",
    verb: "missed the scheduled time of {publication}[ for {account}]",
  },
  "publication.resolved": {
    filterLabel: "Unconfirmed publication resolved",
    verb: "resolved {publication}[ for {account}]",
  },
  "platform.connected": { filterLabel: "Platform connected", verb: "connected {account}" },
  "platform.disconnected": { filterLabel: "Platform disconnected", verb: "disconnected {account}" },
  "platform.needs_reconnect": { filterLabel: "Platform access lost", verb: "lost access to {account}" },
  "upload_link.created": { filterLabel: "Upload link created", verb: "created an upload link for {post}" },
  "upload_link.withdrawn": { filterLabel: "Upload link withdrawn", verb: "withdrew an upload link for {post}" },
};

/** The groups of the filter, in its order. A prefix is the part of an action's name before the dot. */
const actionGroups: readonly (readonly [label: string, prefixes: readonly string[]])[] = [
  ["Posts", ["post"]],
  ["Comments", ["comment"]],
  ["Files", ["asset", "upload_link"]],
  ["Publications", ["publication"]],
  ["Platforms", ["platform"]],
  ["Members", ["member", "invitation"]],
  ["AI clients", ["client"]],
  ["Studio", ["studio", "trash"]],
];

/** The options of the action filter. */
export const groupActions = () =>
  actionGroups.map(
    ([label, prefixes]) =>
      [
        label,
        Object.entries(actionLabels)
          .filter(([action]) => prefixes.includes(action.split(".")[0] ?? ""))
          .map(([action, { filterLabel }]) => [action, filterLabel] as const),
      ] as const,
  );

export const getActionVerb = (action: string): string =>
  Object.entries(actionLabels).find(([name]) => name === action)?.[1].verb ?? action.replace(/[._]/g, " ");

/** Whether the entry's client is what the user approved or moved, rather than what acted. */
const isAboutClient = (action: string): boolean => action === "client.approved" || action === "client.moved";

export const getActingClient = ({ action, client }: Activity): Activity["client"] =>
  isAboutClient(action) ? null : client;

/** "Claude, for Ada" if an AI client acted. */
export function getActorName(entry: Activity): string {
  const { action, user, client, detail } = entry;
  if (user || client) return capitalize(formatActor(user, getActingClient(entry)));
  if (detail["by"] === "operator") return "The operator of this server";
  // Workers and other background jobs act without a user.
  return action.startsWith("publication.") || action.startsWith("platform.") ? "Atelier" : "Former member";
}
