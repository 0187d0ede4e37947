import { AppError, notFound } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { recordActivity } from "../activity/record.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { ifOvertaken, Overtaken } from "../overtaken.ts";
import { countOwners } from "../studios/owners.ts";
import { findUser } from "./find-user.ts";

/**
 * Makes someone an owner of a studio, member of it or not. Owners it had stay what they are: the new one can give them
 * another role, or remove them.
 */
export async function handOverStudio(
  deps: Pick<Deps, "users" | "studios" | "memberships" | "transact" | "newId" | "clock">,
  operator: Operator,
  input: { studioId: string; user: string },
): Promise<{ studioId: string; userId: string; changed: boolean }> {
  const studio = isId("studio", input.studioId) ? await deps.studios.find(input.studioId) : undefined;
  if (!studio) throw notFound("studio");
  const user = await findUser(deps, input.user);
  if (user.disabledAt !== null) throw new AppError("forbidden:user_disabled", { name: user.name });
  const [studioId, userId] = [studio.id, user.id];
  for (;;) {
    const member = await deps.memberships.find(studioId, userId);
    if (member?.role === "owner") return { studioId, userId, changed: false };
    const done = await deps
      .transact(async (tx) => {
        await countOwners(tx, studioId, member?.role, "owner");
        const made = member
          ? await tx.memberships.changeRole(studioId, userId, member.role, "owner")
          : await tx.memberships.insert({ studioId, userId, role: "owner", joinedAt: deps.clock() });
        if (!made) throw new Overtaken();
        const detail = { from: member?.role ?? null, to: "owner" };
        await recordActivity(deps, tx, { ...operator, studio }, "studio.handed_over", userId, detail);
        return true;
      })
      .catch(ifOvertaken);
    if (done) return { studioId, userId, changed: true };
  }
}
