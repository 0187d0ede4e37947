import type { Caller } from "../caller.ts";
import type { ActivityAction, Actor } from "../model/activity.ts";
import type { Deps, Tx } from "../ports/deps.ts";

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
