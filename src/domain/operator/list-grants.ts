import { toDayNumber, callHistoryDays } from "../access/call-tally.ts";
import { toClientView, type ClientView } from "../access/list-clients.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { getUser } from "./find-user.ts";

export interface ListGrantsInput {
  user?: string | undefined;
  clientId?: string | undefined;
  /** Ended ones too. */
  ended: boolean;
  before?: string | undefined;
  limit: number;
}

/** The approvals of AI clients, in all studios, newest first; a page at a time, the next one from the last id on. */
export async function listGrants(
  deps: Pick<Deps, "users" | "grants" | "clock">,
  _operator: Operator,
  { user, ...filter }: ListGrantsInput,
): Promise<ClientView[]> {
  const userId = user === undefined ? undefined : (await getUser(deps, user)).id;
  const callsSince = toDayNumber(deps.clock()) - callHistoryDays + 1;
  return (await deps.grants.list({ ...filter, userId, callsSince })).map(toClientView);
}
