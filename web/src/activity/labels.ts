import type { Activity, ActivityFilter } from "../api/queries.ts";
import { capitalize, formatActor, formatGuest } from "../ui/format-actor.ts";
import type { ActivityEntry } from "./group-activity.ts";

/**
 * A template follows the actor's name: "Ada created the studio". `{post}` stands for the name of the entry's post. A
 * part in brackets is omitted if the entry has no object for it. The type requires labels for every action.
 */
const actionLabels: Record<NonNullable<ActivityFilter["action"]>, { filterLabel: string; template: string }> = {
  "studio.created": { filterLabel: "Studio created", template: "created the studio" },
  "studio.updated": { filterLabel: "Studio changed", template: "changed the studio" },
  "studio.handed_over": { filterLabel: "Owner added", template: "made {member} an owner" },
  "member.joined": { filterLabel: "Member joined", template: "joined" },
  "member.role_changed": { filterLabel: "Role changed", template: "changed the role of {member}" },
  "member.removed": { filterLabel: "Member removed", template: "removed {member}" },
  "member.left": { filterLabel: "Member left", template: "left" },
  "member.disabled": { filterLabel: "Account disabled", template: "disabled the account of {member}" },
  "member.enabled": { filterLabel: "Account enabled", template: "enabled the account of {member}" },
  "invitation.created": { filterLabel: "Invitation created", template: "created an invitation" },
  "invitation.revoked": { filterLabel: "Invitation revoked", template: "revoked an invitation" },
  "client.connected": {
    filterLabel: "AI client connected by a company",
    template: "connected the AI client {client} through their company",
  },
  "client.allowed": { filterLabel: "AI client allowed again", template: "allowed the AI client {client} again" },
  "client.approved": { filterLabel: "AI client approved", template: "approved the AI client {client}" },
  "client.revoked": { filterLabel: "AI client revoked", template: "revoked the AI client {client}" },
  "client.moved": { filterLabel: "AI client moved here", template: "moved the AI client {client} to this studio" },
  "client.undone": { filterLabel: "AI client’s changes undone or reapplied", template: "undid changes" },
  "post.created": { filterLabel: "Post created", template: "created {post}" },
  "post.updated": { filterLabel: "Post changed", template: "changed {post}" },
  "post.reverted": { filterLabel: "Earlier revision restored", template: "restored an earlier revision of {post}" },
  "post.deleted": { filterLabel: "Post deleted", template: "deleted {post}" },
  "post.restored": { filterLabel: "Post restored", template: "restored {post} from the trash" },
  "comment.added": { filterLabel: "Comment added", template: "commented on {post}" },
  "comment.resolved": { filterLabel: "Thread resolved", template: "resolved a thread on {post}" },
  "comment.reopened": { filterLabel: "Thread reopened", template: "reopened a thread on {post}" },
  "comment.deleted": { filterLabel: "Comment deleted", template: "deleted a comment on {post}" },
  "comment.shown": { filterLabel: "Comment shown to guests", template: "showed a comment on {post} to guests" },
  "comment.hidden": { filterLabel: "Comment hidden from guests", template: "hid a comment on {post} from guests" },
  "review.created": { filterLabel: "Shared for review", template: "shared {post} for review" },
  "review.withdrawn": { filterLabel: "Review link withdrawn", template: "withdrew a review link for {post}" },
  "review.viewed": { filterLabel: "Viewed by a guest", template: "viewed {post}" },
  "review.approved": { filterLabel: "Approved by a guest", template: "approved {post}" },
  "review.changes_requested": { filterLabel: "Changes asked for by a guest", template: "asked for changes to {post}" },
  "review.commented": { filterLabel: "Comment by a guest", template: "commented on {post}" },
  "asset.requested": { filterLabel: "Upload started", template: "started uploading {asset}[ to {post}]" },
  "asset.uploaded": { filterLabel: "File uploaded", template: "uploaded {asset}" },
  "asset.imported": { filterLabel: "File imported", template: "imported {asset}[ to {post}]" },
  "asset.copied": { filterLabel: "File copied", template: "copied {asset}" },
  "asset.attached": { filterLabel: "File attached", template: "attached {asset} to {post}" },
  "asset.refused": { filterLabel: "File rejected", template: "uploaded {asset}, which was rejected" },
  "asset.detached": { filterLabel: "File removed from post", template: "removed {asset} from {post}" },
  "asset.updated": { filterLabel: "File details edited", template: "edited the details of {asset}" },
  "asset.deleted": { filterLabel: "File deleted", template: "deleted {asset}" },
  "asset.restored": { filterLabel: "File restored", template: "restored {asset} from the trash" },
  "trash.emptied": { filterLabel: "Trash emptied", template: "emptied the trash" },
  "publication.proposed": {
    filterLabel: "Publication proposed",
    template: "asked to publish {publication}[ to {account}]",
  },
  "publication.scheduled": {
    filterLabel: "Publication scheduled",
    template: "scheduled {publication}[ for {account}]",
  },
  "publication.approved": { filterLabel: "Publication approved", template: "approved {publication}[ for {account}]" },
  "publication.unapproved": {
    filterLabel: "Approval undone",
    template: "undid the approval of {publication}[ for {account}]",
  },
  "publication.returned": {
    filterLabel: "Approval removed by an edit",
    template: "edited {publication}, so it needs a new approval[ for {account}]",
  },
  "publication.rescheduled": {
    filterLabel: "Publication rescheduled",
    template: "rescheduled {publication}[ for {account}]",
  },
  "publication.canceled": {
    filterLabel: "Publication canceled",
    template: "canceled publishing {publication}[ to {account}]",
  },
  "publication.started": {
    filterLabel: "Publishing started",
    template: "started publishing {publication}[ to {account}]",
  },
  "publication.committed": { filterLabel: "Sent to the platform", template: "sent {publication} to {account}" },
  "publication.delayed": {
    filterLabel: "Publishing delayed",
    template: "delayed publishing {publication}[ to {account}]",
  },
  "publication.published": { filterLabel: "Published", template: "published {publication}[ to {account}]" },
  "publication.failed": {
    filterLabel: "Publishing failed",
    template: "couldn’t publish {publication}[ to {account}]",
  },
  "publication.part_published": {
    filterLabel: "Part published",
    template: "published a part of {publication}[ to {account}]",
  },
  "publication.incomplete": {
    filterLabel: "Parts missing",
    template: "published only some parts of {publication}[ to {account}]",
  },
  "publication.continued": {
    filterLabel: "Missing parts sent",
    template: "continued {publication}[ to {account}]",
  },
  "publication.unconfirmed": {
    filterLabel: "Publication unconfirmed",
    template: "couldn’t confirm {publication}[ on {account}]",
  },
  "publication.missed": {
    filterLabel: "Publication missed",
    template: "missed the scheduled time of {publication}[ for {account}]",
  },
  "publication.resolved": {
    filterLabel: "Unconfirmed publication resolved",
    template: "resolved {publication}[ for {account}]",
  },
  "platform.connected": { filterLabel: "Platform connected", template: "connected {account}" },
  "platform.disconnected": { filterLabel: "Platform disconnected", template: "disconnected {account}" },
  "platform.expires_soon": { filterLabel: "Platform access expires", template: "must reconnect {account} soon" },
  "platform.needs_reconnect": { filterLabel: "Platform access lost", template: "lost access to {account}" },
  "webhook.created": { filterLabel: "Webhook created", template: "created a webhook" },
  "webhook.updated": { filterLabel: "Webhook changed", template: "changed a webhook" },
  "webhook.rotated": { filterLabel: "Webhook secret replaced", template: "replaced the secret of a webhook" },
  "webhook.enabled": { filterLabel: "Webhook enabled", template: "enabled a webhook" },
  "webhook.disabled": { filterLabel: "Webhook disabled", template: "disabled a webhook" },
  "webhook.deleted": { filterLabel: "Webhook deleted", template: "deleted a webhook" },
  "upload_link.created": { filterLabel: "Upload link created", template: "created an upload link for {post}" },
  "upload_link.withdrawn": { filterLabel: "Upload link withdrawn", template: "withdrew an upload link for {post}" },
};

/** The groups of the action filter, in order. A prefix is the part of an action's name before the dot. */
const actionGroups: readonly (readonly [label: string, prefixes: readonly string[]])[] = [
  ["Posts", ["post"]],
  ["Comments", ["comment"]],
  ["Reviews", ["review"]],
  ["Files", ["asset", "upload_link"]],
  ["Publications", ["publication"]],
  ["Platforms", ["platform"]],
  ["Members", ["member", "invitation"]],
  ["AI clients", ["client"]],
  ["Webhooks", ["webhook"]],
  ["Studio", ["studio", "trash"]],
];

/** Returns the options of the action filter. */
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

export function getActionTemplate({ action, detail }: Pick<ActivityEntry, "action" | "detail">): string {
  if (action === "client.undone" && hasReapplied(detail)) return "reapplied changes";
  if (action === "publication.canceled" && detail["sentBack"] === true)
    return "asked for changes of {publication}[ for {account}]";
  return Object.entries(actionLabels).find(([name]) => name === action)?.[1].template ?? action.replace(/[._]/g, " ");
}

/** Whether an undo undid an earlier undo, which reapplies the client's changes. Older entries only name that undo. */
export const hasReapplied = ({ undoes, reapplies = undoes !== undefined }: ActivityEntry["detail"]): boolean =>
  reapplies === true;

/** Whether the entry's client is the one that the user approved or moved, rather than the one that acted. */
const isAboutClient = (action: string): boolean =>
  ["client.approved", "client.connected", "client.moved"].includes(action);

export const getActingClient = ({ action, client }: Activity): Activity["client"] =>
  isAboutClient(action) ? null : client;

/** Returns "Claude, for Ada" if an AI client acted. */
export function getActorName(entry: Activity): string {
  const { action, user, client, detail } = entry;
  if ("guest" in detail) return formatGuest(detail["guest"] as { name: string } | null, client);
  if (user || client) return capitalize(formatActor(user, getActingClient(entry)));
  if (detail["by"] === "operator") return "The operator of this server";
  // Workers and other background jobs act without a user.
  return action.startsWith("publication.") || action.startsWith("platform.") ? "Atelier" : "Former member";
}
