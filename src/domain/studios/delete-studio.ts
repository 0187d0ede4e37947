import { z } from "zod";
import { AppError, notFound } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";

export const deleteStudioInput = z.strictObject({ name: z.string().max(100) });

/**
 * Ends a studio with everything in it. Approvals of clients that act in it end with it: one that went on in another
 * studio of its person would do there what it was told to do here. Nothing of the studio is left to record this in.
 */
export async function deleteStudio(
  deps: Pick<Deps, "transact" | "clock">,
  caller: Caller,
  input: z.infer<typeof deleteStudioInput>,
): Promise<void> {
  authorize(caller, "studio.delete");
  await deps.transact(async (tx) => {
    const studio = await tx.studios.find(caller.studio.id);
    if (!studio) throw notFound("studio");
    if (input.name.trim() !== studio.name)
      throw new AppError("invalid_input", "The name does not match the studio's.", `Type it as it is: ${studio.name}`);
    await tx.grants.revokeInStudio(studio.id, deps.clock());
    await tx.studios.delete(studio.id);
  });
}
