import { AppError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { forceRevokeGrant } from "../access/end-grant.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../deps.ts";

/** Ends approvals, each from its next call on. Where one of them never was, nothing is ended. */
export async function revokeGrants(
  deps: Pick<Deps, "grants" | "users" | "transact" | "newId" | "clock">,
  _operator: Operator,
  input: { grantIds: readonly string[] },
): Promise<{ ended: string[]; before: string[] }> {
  for (const grantId of input.grantIds)
    if (!isId("connection", grantId) || !(await deps.grants.find(grantId)))
      throw new AppError("not_found:grant", { grantId });
  const result: { ended: string[]; before: string[] } = { ended: [], before: [] };
  for (const grantId of input.grantIds) {
    const ended = await forceRevokeGrant(deps, { grantId, reason: "ended by the operator" });
    result[ended ? "ended" : "before"].push(grantId);
  }
  return result;
}
