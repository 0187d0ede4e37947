import type { Caller, Operator } from "../caller.ts";
import type { ActivityAction } from "../model/activity.ts";
import type { Publication } from "../model/publication.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { recordActivity } from "./record-activity.ts";

export type PublicationAction = Extract<ActivityAction, `publication.${string}`>;

export type PublicationActor = Partial<Pick<Caller, "user" | "client">> | Operator;

/** Activity without a user is activity of the worker. */
export const workerActor: PublicationActor = {};

/** Records a change of state, in the transaction of the change. */
export async function recordPublicationActivity(
  deps: Pick<Deps, "newId" | "clock">,
  tx: Tx,
  actor: PublicationActor,
  action: PublicationAction,
  publication: Publication,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { id, studioId, postId, connectionId, revision } = publication;
  const studio = { id: studioId };
  await recordActivity(deps, tx, { ...actor, studio }, action, id, { postId, connectionId, revision, ...detail });
}
