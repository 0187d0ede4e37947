import { recordActivity } from "../activity/record.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";

/** Lets an approval act in the caller's studio from now on. Conversations that share it move together, so the studio's activity tells. */
export async function moveGrant(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: { grantId: string },
): Promise<void> {
  authorize(caller, "studio.read");
  await deps.transact(async (tx) => {
    if (await tx.grants.moveStudio(input.grantId, caller.studio.id))
      await recordActivity(deps, tx, caller, "client.moved", input.grantId);
  });
}
