import { isMeantFor } from "../access/address.ts";
import type { User } from "../access/ports.ts";
import type { Deps } from "../deps.ts";
import type { Role } from "../policy.ts";
import { findInvitation, invitationGone } from "./invitation.ts";

/** What an invitation offers to whoever holds its link. Whom it was made for is not told. */
export async function describeInvitation(
  deps: Pick<Deps, "invitations" | "memberships" | "clock">,
  person: User | undefined,
  input: { token: string },
): Promise<{ studioName: string; role: Role; forPerson: boolean; isMember: boolean }> {
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw invitationGone();
  const membership = person && (await deps.memberships.find(invitation.studioId, person.id));
  return {
    studioName: invitation.studioName,
    role: invitation.role,
    forPerson: person === undefined || isMeantFor(invitation.email, person),
    isMember: membership !== undefined,
  };
}
