import type { RequestId } from "@modelcontextprotocol/server";
import type { Scope } from "#domain/caller.ts";
import type { Challenges } from "../transport/bearer-challenge.ts";
import { createRejection, errorCodes, type Rejection } from "./messages.ts";

export interface RequestProblem {
  rejection: Rejection;
  headers?: Record<string, string>;
}

/** A request whose token does not have the scope that its method requires. */
export function findScopeProblem(
  requiredScope: Scope,
  scopes: readonly Scope[],
  challenges: Challenges,
  id: RequestId | null = null,
): RequestProblem | undefined {
  if (scopes.includes(requiredScope)) return undefined;
  const message = `insufficient_scope: requires the scope ${requiredScope}`;
  return {
    rejection: createRejection(403, errorCodes.httpError, message, id),
    headers: { "www-authenticate": challenges.insufficientScope(requiredScope, scopes) },
  };
}
