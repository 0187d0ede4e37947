import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { approvalRules, authorize } from "../policy.ts";
import { studioFields, type StudioView } from "./create-studio.ts";

export const updateStudioInput = z.strictObject({
  name: studioFields.name.optional(),
  timezone: studioFields.timezone.optional(),
  approval: z.enum(approvalRules).optional(),
});

/** Changes the studio's name, time zone or approval rule. Id and slug stay, so that existing links keep working. */
export async function updateStudio(
  deps: Pick<Deps, "transact" | "newId" | "clock">,
  caller: Caller,
  input: z.infer<typeof updateStudioInput>,
): Promise<StudioView> {
  authorize(caller, "studio.update");
  const change = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.timezone === undefined ? {} : { timezone: input.timezone }),
    ...(input.approval === undefined ? {} : { approval: input.approval }),
  };
  if (Object.keys(change).length === 0)
    throw new AppError("invalid_input:no_changes", { fields: "name, timezone or approval" });
  const studio = await deps.transact(caller, async (tx) => {
    const updatedStudio = await tx.studios.update(caller.studio.id, change);
    if (!updatedStudio) throw notFoundError("studio");
    await recordActivity(deps, tx, caller, "studio.updated", updatedStudio.id, change);
    return updatedStudio;
  });
  return { ...studio, createdAt: toIsoTime(studio.createdAt) };
}
