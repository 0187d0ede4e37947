import { z } from "zod";
import type { Caller } from "../caller.ts";
import type { PublicationCounts } from "../ports/publications.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";

export const countPublicationsInput = z.strictObject({
  /** Earlier failures and requests that were sent back do not count. */
  from: z.iso.datetime({ offset: true }).optional(),
});

/** The highest count; more publications are not counted. */
const maxCount = 100;

/**
 * Counts the publications that wait for this user: proposals of others, problems that only a person can solve, and own
 * requests that were sent back.
 */
export async function countPublications(
  deps: Pick<Deps, "publications">,
  caller: Caller,
  { from }: z.infer<typeof countPublicationsInput>,
): Promise<PublicationCounts & { maxCount: number }> {
  authorize(caller, "publications.read");
  const counts = await deps.publications.count(caller.studio.id, {
    userId: caller.user.id,
    from: from === undefined ? 0 : Date.parse(from),
    maxCount,
  });
  return { ...counts, maxCount };
}
