import { z } from "zod";
import { isId } from "#lib/ids.ts";
import { notFoundError } from "#lib/errors.ts";
import type { SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { id } from "../text.ts";

export const setActiveStudioInput = z.strictObject({ studioId: id });

/** The studio that sessions opened from now on act in. Open ones stay where they are. */
export async function setActiveStudio(
  deps: Pick<Deps, "users">,
  caller: SignedInUser,
  input: z.infer<typeof setActiveStudioInput>,
): Promise<void> {
  const didChange =
    isId("studio", input.studioId) && (await deps.users.setActiveStudio(caller.user.id, input.studioId));
  if (!didChange) throw notFoundError("studio");
}
