import { z } from "zod";
import type { Caller } from "../caller.ts";
import { callHistoryDays, type GrantView, toDayNumber, toGrantView } from "../model/grant.ts";
import { pageInput, parseCursor, toPage } from "../model/page.ts";
import { authorize, may } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";

export const listClientsInput = z.strictObject({
  ended: z.boolean().optional().describe("true: only revoked grants. false: only active ones."),
  mine: z.boolean().optional().describe("Only the caller's own grants."),
  ...pageInput,
});

/** Lists the caller's grants in all studios and, for owners and admins, every grant that acts on this studio. */
export async function listClients(
  deps: Pick<Deps, "grants" | "clock">,
  caller: Caller,
  { ended, mine = false, limit, cursor }: z.infer<typeof listClientsInput>,
): Promise<{ clients: GrantView[]; nextCursor: string | null }> {
  authorize(caller, "clients.list");
  const listKey = `clients ${caller.studio.id} ${JSON.stringify([ended, mine])}`;
  const grants = await deps.grants.listVisible(caller.studio.id, {
    userId: caller.user.id,
    includeOthers: !mine && may(caller.role, "clients.listAll"),
    isRevoked: ended,
    before: parseCursor(cursor, listKey),
    limit: limit + 1,
    callsSince: toDayNumber(deps.clock()) - callHistoryDays + 1,
  });
  const { items, nextCursor } = toPage(grants, limit, listKey);
  return { clients: items.map(toGrantView), nextCursor };
}
