import { isOwnRequest } from "./is-own-request.ts";

interface EndedPublication {
  state: string;
  problem: { code: string } | null;
}

type Request = Parameters<typeof isOwnRequest>[0];

/** Whether an approver asked for changes, which canceled the publication. */
export const wasSentBack = ({ state, problem }: EndedPublication): boolean =>
  state === "canceled" && problem?.code === "sent_back";

/** Whether an approver asked this user for changes. */
export const isOwnSentBack = (publication: EndedPublication & Request, userId: string): boolean =>
  wasSentBack(publication) && isOwnRequest(publication, userId);

/**
 * The publications that were sent back, except those that a newer one to the same account has replaced. `publications`
 * must be sorted, newest first.
 */
export function listSentBack<Publication extends EndedPublication & { connectionId: string }>(
  publications: readonly Publication[],
): Publication[] {
  const isNewest = (publication: Publication): boolean =>
    publications.find(({ connectionId }) => connectionId === publication.connectionId) === publication;
  return publications.filter((publication) => wasSentBack(publication) && isNewest(publication));
}
