import type { MissingReason } from "#domain/model/results.ts";
import type { ErrorResponse } from "./publish-module.ts";
import { StepFailure } from "./step-failure.ts";

/** Returns why a post has no results if the platform rejects the call; every other failure is thrown. */
export async function orMissing<T>(
  call: Promise<T>,
  readReason: (response: ErrorResponse) => MissingReason = readStatusReason,
): Promise<T | MissingReason> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof StepFailure) || error.outcome.kind !== "rejected") throw error;
    return error.response ? readReason(error.response) : "error";
  }
}

function readStatusReason({ status }: ErrorResponse): MissingReason {
  if (status === 403) return "not_permitted";
  return status === 404 ? "deleted" : "error";
}
