import { matchesVerifiedEmail } from "../access/address.ts";
import type { User } from "../access/ports.ts";
import type { SignedInUser } from "../caller.ts";
import type { Deps } from "../deps.ts";
import type { Role } from "../policy.ts";
import { findInvitation, hashInvitationToken, invitationNotFoundError } from "./invitation.ts";
import type { Studio } from "./ports.ts";

/** What an invitation offers to whoever holds its link. Whom it was made for is not told. */
export async function describeInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  person: User | undefined,
  input: { token: string },
): Promise<{ studioName: string; role: Role; forPerson: boolean }> {
  const invitation = await findInvitation(deps, input.token);
  if (!invitation) throw invitationNotFoundError();
  return {
    studioName: invitation.studioName,
    role: invitation.role,
    forPerson: person === undefined || matchesVerifiedEmail(invitation.email, person),
  };
}

/** The studio that a link invites to, for someone who is a member already. Also for a link that was used or has expired. */
export function findJoinedStudio(
  deps: Pick<Deps, "invitations">,
  { user }: SignedInUser,
  { token }: { token: string },
): Promise<Pick<Studio, "id" | "name"> | undefined> {
  return deps.invitations.findStudioOfMember(hashInvitationToken(token), user.id);
}
