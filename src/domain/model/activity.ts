import { z } from "zod";
import type { Caller, Operator } from "../caller.ts";

export const objectTypes = ["post", "asset", "publication", "member", "client", "account"] as const;
export type ObjectType = (typeof objectTypes)[number];

export const activityObject = z.object({
  type: z.enum(objectTypes),
  id: z.string(),
  name: z.string().nullable().describe("Current name; the name at the time if it was deleted since; null if unknown."),
  state: z.enum(["current", "trashed", "gone"]),
});

export type ActivityObject = z.infer<typeof activityObject>;

/** A publication has no name of its own: it is named by its post and its account. */
export type NamedType = Exclude<ObjectType, "publication">;

/** An object with its name and state. The state of a former member and of a revoked client is `gone`. */
export interface NamedObject {
  type: NamedType;
  id: string;
  name: string;
  state: ActivityObject["state"];
}

export interface ActivityRow {
  id: string;
  studioId: string;
  userId: string | null;
  clientId: string | null;
  clientName: string | null;
  action: string;
  subjectId: string | null;
  detail: Record<string, unknown>;
  at: number;
}

export interface ListedActivity extends ActivityRow {
  userName: string | null;
  /** The current name of the user, or title of the post or of the publication's post; null if it no longer exists. */
  subjectName: string | null;
}

export const activityActions = [
  "studio.created",
  "studio.updated",
  "studio.handed_over",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.left",
  "member.disabled",
  "member.enabled",
  "invitation.created",
  "invitation.revoked",
  "client.approved",
  "client.connected",
  "client.revoked",
  "client.allowed",
  "client.moved",
  "client.undone",
  "post.created",
  "post.updated",
  "post.reverted",
  "post.deleted",
  "post.restored",
  "comment.added",
  "comment.shown",
  "comment.hidden",
  "comment.resolved",
  "comment.reopened",
  "comment.deleted",
  "review.created",
  "review.withdrawn",
  "review.viewed",
  "review.approved",
  "review.changes_requested",
  "review.commented",
  "upload_link.created",
  "upload_link.withdrawn",
  "asset.requested",
  "asset.uploaded",
  "asset.imported",
  "asset.copied",
  "asset.attached",
  "asset.refused",
  "asset.detached",
  "asset.updated",
  "asset.deleted",
  "asset.restored",
  "trash.emptied",
  "publication.proposed",
  "publication.scheduled",
  "publication.approved",
  "publication.unapproved",
  "publication.returned",
  "publication.rescheduled",
  "publication.canceled",
  "publication.started",
  "publication.committed",
  "publication.delayed",
  "publication.published",
  "publication.failed",
  "publication.part_published",
  "publication.incomplete",
  "publication.continued",
  "publication.unconfirmed",
  "publication.missed",
  "publication.resolved",
  "platform.connected",
  "platform.disconnected",
  "platform.needs_reconnect",
  "webhook.created",
  "webhook.updated",
  "webhook.rotated",
  "webhook.enabled",
  "webhook.disabled",
  "webhook.deleted",
  "platform.expires_soon",
] as const;

export type ActivityAction = (typeof activityActions)[number];

/** An actor without a user is a background job or the operator. */
export type Actor = (Partial<Pick<Caller, "user" | "client">> | Operator) & { studio: { id: string } };
