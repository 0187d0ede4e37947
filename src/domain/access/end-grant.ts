import { recordActivity } from "../activity/record.ts";
import type { Deps } from "../deps.ts";

export interface EndedGrant {
  grantId: string;
  /** The client gave it back, or something of it was used a second time, which is how a theft shows. */
  because: "given back" | "used twice";
}

/** Ends an approval from the client's side, with everything that hangs on it. The studio it acts in can read why. */
export async function endGrant(
  deps: Pick<Deps, "grants" | "users" | "transact" | "newId" | "clock">,
  input: EndedGrant,
): Promise<void> {
  const grant = await deps.grants.find(input.grantId);
  if (grant?.revokedAt !== null) return;
  const [user, memberships] = await Promise.all([deps.users.find(grant.userId), deps.users.memberships(grant.userId)]);
  const seat = memberships.find(({ studioId }) => studioId === grant.studioId) ?? memberships[0];
  await deps.transact(async (tx) => {
    if (!(await tx.grants.revoke(grant.id, deps.clock())) || !user || !seat) return;
    const actor = { user, studio: { id: seat.studioId }, client: { id: grant.clientId, name: grant.clientName } };
    const detail = { clientId: grant.clientId, clientName: grant.clientName, userId: grant.userId };
    await recordActivity(deps, tx, actor, "client.revoked", grant.id, { ...detail, because: input.because });
  });
}
