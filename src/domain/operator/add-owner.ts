import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { recordActivity } from "../changes/record-activity.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { ConflictError, retryOnConflict } from "../model/conflict.ts";
import { updateOwnerCount } from "../steps/update-owner-count.ts";
import { getUser } from "./lookups.ts";

/**
 * Makes a user an owner of a studio, whether or not they are a member. Existing owners keep their role; the new owner
 * can change it or remove them.
 */
export async function addOwner(
  deps: Pick<Deps, "users" | "studios" | "memberships" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { studioId: string; user: string },
): Promise<{ studioId: string; userId: string; changed: boolean }> {
  const studio = isId("studio", input.studioId) ? await deps.studios.find(input.studioId) : undefined;
  if (!studio) throw notFoundError("studio");
  const user = await getUser(deps, input.user);
  // An identity provider may let anyone claim an email.
  if (user.id !== input.user && !user.emailVerified)
    throw new AppError("invalid_input:unverified_email", { id: user.id });
  if (user.disabledAt !== null) throw new AppError("forbidden:user_disabled", { name: user.name });
  const [studioId, userId] = [studio.id, user.id];
  return retryOnConflict(async () => {
    const member = await deps.memberships.find(studioId, userId);
    if (member?.role === "owner") return { studioId, userId, changed: false };
    await deps.transact(operator, async (tx) => {
      await updateOwnerCount(tx, studioId, member?.role, "owner");
      const didChange = member
        ? await tx.memberships.changeRole(studioId, userId, member.role, "owner")
        : await tx.memberships.insert({ studioId, userId, role: "owner", joinedAt: deps.clock() });
      if (!didChange) throw new ConflictError();
      const detail = { from: member?.role ?? null, to: "owner" };
      await recordActivity(deps, tx, { ...operator, studio }, "studio.handed_over", userId, detail);
    });
    return { studioId, userId, changed: true };
  });
}
