import { sha256 } from "#lib/digest.ts";
import { AppError } from "#lib/errors.ts";

/** Links are kept as digests: whoever reads the database cannot use them. */
export const hashInvitationToken = sha256;

export const invitationGone = (): AppError =>
  new AppError(
    "not_found",
    "This invitation does not exist, was used, withdrawn, or has expired.",
    "Ask for a new invitation link.",
  );
