import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";
import type { Deps } from "../deps.ts";
import { may, mayManage } from "../policy.ts";
import type { OpenInvitation } from "./ports.ts";

/** Links are kept as digests: whoever reads the database cannot use them. */
export const hashInvitationToken = sha256;

/**
 * An invitation is worth what its maker could still give: someone who was removed or has less to say now neither comes
 * back by a link they kept, nor sends others.
 */
export const isCreatorAuthorized = ({ creatorRole: makerRole, role }: OpenInvitation): boolean =>
  makerRole !== null && may(makerRole, "invitations.create") && mayManage(makerRole, role);

export async function findInvitation(
  deps: Pick<Deps, "invitations" | "clock">,
  token: string,
): Promise<OpenInvitation | undefined> {
  const openInvitation = await deps.invitations.findOpen(hashInvitationToken(token), deps.clock());
  return openInvitation && isCreatorAuthorized(openInvitation) ? openInvitation : undefined;
}

export const invitationNotFoundError = (): AppError => new AppError("not_found:invitation_link");
