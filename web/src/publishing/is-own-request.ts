interface Request {
  requestedBy: { id: string } | null;
  requestedThrough: string | null;
}

/** Whether this user requested the publication, and not an AI client for them. */
export const isOwnRequest = ({ requestedBy, requestedThrough }: Request, userId: string): boolean =>
  requestedThrough === null && requestedBy?.id === userId;
