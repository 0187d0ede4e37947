import type { Caller } from "../caller.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { authorize } from "../policy.ts";
import type { Deps, Tx } from "../ports/deps.ts";

/** Moves a grant to the caller's studio. All conversations with this grant move too, so activity records the move. */
export async function moveGrant(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { grantId: string },
): Promise<void> {
  authorize(caller, "studio.read");
  const move = async (tx: Tx): Promise<void> => {
    if (await tx.grants.moveStudio(input.grantId, caller.studio.id))
      await recordActivity(deps, tx, caller, "client.moved", input.grantId);
  };
  await deps.transact(caller, move, { changesAccess: true });
}
