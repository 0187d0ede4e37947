import { createHash } from "node:crypto";
import { AppError } from "#lib/errors.ts";

/** Links are kept as digests: whoever reads the database cannot use them. */
export const hashInvitationToken = (token: string): string => createHash("sha256").update(token).digest("hex");

export const invitationGone = (): AppError =>
  new AppError("not_found", "This invitation does not exist, was used, withdrawn, or has expired.", "Ask for a new invitation link.");
