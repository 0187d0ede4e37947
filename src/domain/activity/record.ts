import type { Caller, Operator } from "../caller.ts";
import type { Deps, Tx } from "../deps.ts";
import type { NamedObject, ObjectType } from "./activity-objects.ts";

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

export interface ActivityStore {
  insert(row: ActivityRow): Promise<void>;
  /** Newest first. */
  list(studioId: string, filter: ActivityFilter): Promise<ListedActivity[]>;
  find(studioId: string, id: string): Promise<ActivityRow | undefined>;
  /** Names of the objects that still exist, in one query. */
  findNames(studioId: string, objects: readonly { type: ObjectType; id: string }[]): Promise<NamedObject[]>;
}

export interface ActivityFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  action?: string | undefined;
  /** Only activity about this object. */
  subjectId?: string | undefined;
  /** Only activity before this id. */
  before?: string | undefined;
  limit: number;
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
  "client.revoked",
  "client.moved",
  "client.undone",
  "post.created",
  "post.updated",
  "post.reverted",
  "post.deleted",
  "post.restored",
  "comment.added",
  "comment.resolved",
  "comment.reopened",
  "comment.deleted",
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
  "publication.unconfirmed",
  "publication.missed",
  "publication.resolved",
  "platform.connected",
  "platform.disconnected",
  "platform.needs_reconnect",
] as const;

export type ActivityAction = (typeof activityActions)[number];

/** An actor without a user is a background job or the operator. */
export type Actor = (Partial<Pick<Caller, "user" | "client">> | Operator) & { studio: { id: string } };

/** Records an activity in the transaction of its change, so that both commit or neither does. Returns its id. */
export async function recordActivity(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  actor: Actor,
  action: ActivityAction,
  subjectId: string,
  detail: Record<string, unknown> = {},
): Promise<string> {
  const id = deps.newId("activity");
  const isOperator = "operator" in actor;
  const { user, client }: Partial<Pick<Caller, "user" | "client">> = isOperator ? {} : actor;
  await tx.activity.insert({
    id,
    studioId: actor.studio.id,
    userId: user?.id ?? null,
    clientId: client?.id ?? null,
    clientName: client?.name ?? null,
    action,
    subjectId,
    detail: isOperator ? { ...detail, by: "operator" } : detail,
    at: deps.clock(),
  });
  return id;
}

/** What a change says about itself. */
export interface ChangeActivity {
  action: ActivityAction;
  detail: Record<string, unknown>;
  /** If it is not the editor: the AI client that created an upload link, for example, is not the author of its files. */
  actor?: Actor;
}

/** Records the activity of a change by an editor. */
export function recordChange(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  editor: Actor,
  subjectId: string,
  { action, detail, actor = editor }: ChangeActivity,
): Promise<string> {
  return recordActivity(deps, tx, actor, action, subjectId, detail);
}
