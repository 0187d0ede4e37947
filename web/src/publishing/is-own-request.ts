interface Request {
  requestedBy: { id: string } | null;
  requestedThrough: string | null;
  hasLostApproval?: true | undefined;
}

/**
 * Whether this user asked for approval, and not an AI client for them. The user then wants another person to look. A
 * publication that lost its approval is no such request: a change made it a proposal.
 */
export const isOwnRequest = ({ requestedBy, requestedThrough, hasLostApproval }: Request, userId: string): boolean =>
  requestedThrough === null && hasLostApproval !== true && requestedBy?.id === userId;
