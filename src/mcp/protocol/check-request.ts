import type { RequestId } from "@modelcontextprotocol/server";
import type { IncomingHttpHeaders } from "node:http";
import type { Scope } from "#domain/caller.ts";
import type { Challenges } from "../transport/bearer-challenge.ts";
import { createRejection, errorCodes, type Rejection, type RequestMessage } from "./messages.ts";
import type { Method } from "./method.ts";
import { findParamMismatch } from "./param-headers.ts";
import { createHeaderMismatch } from "./standard-headers.ts";

export interface RequestProblem {
  rejection: Rejection;
  headers?: Record<string, string>;
}

/** Checks that depend on the method, before the request runs: headers that repeat its inputs, and its scope. */
export function checkRequest(
  { id, era, params }: RequestMessage,
  method: Method | undefined,
  requestHeaders: IncomingHttpHeaders,
  scopes: readonly Scope[],
  challenges: Challenges,
): RequestProblem | undefined {
  const paramHeaders = era === "modern" ? method?.getParamHeaders?.(params) : undefined;
  const mismatch = paramHeaders && findParamMismatch(paramHeaders, params["arguments"], requestHeaders);
  if (mismatch) return { rejection: createHeaderMismatch(id, mismatch) };
  const requiredScope = method?.getRequiredScope?.(params);
  return requiredScope && findScopeProblem(requiredScope, scopes, challenges, id);
}

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
