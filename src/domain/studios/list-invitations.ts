import { toIsoTime } from "#lib/clock.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize, type Role } from "../policy.ts";
import { isCreatorAuthorized } from "./invitation.ts";

export interface InvitationView {
  id: string;
  role: Role;
  email: string | null;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
}

/** Invitations that can still be accepted. Their links are not shown again. */
export async function listInvitations(
  deps: Pick<Deps, "invitations" | "clock">,
  caller: Caller,
): Promise<{ invitations: InvitationView[] }> {
  authorize(caller, "invitations.list");
  const openInvitations = await deps.invitations.listOpen(caller.studio.id, deps.clock());
  return {
    invitations: openInvitations
      .filter(isCreatorAuthorized)
      .map(({ id, role, email, createdBy, createdAt, expiresAt }) => ({
        id,
        role,
        email,
        createdBy,
        createdAt: toIsoTime(createdAt),
        expiresAt: toIsoTime(expiresAt),
      })),
  };
}
