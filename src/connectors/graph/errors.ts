import type { FailedOutcome } from "#domain/ports/publisher.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { toObject, toObjectList } from "../call-api.ts";
import {
  duplicateOutcome,
  mediaRejectedOutcome,
  rateLimitOutcome,
  reconnectOutcome,
  toDelay,
} from "../publishing/step-failure.ts";
import type { JsonObject } from "../platform.ts";
import type { ErrorResponse } from "../publishing/publish-module.ts";

/** In Meta's Graph API, these error codes mean that a token has expired, was revoked or is otherwise invalid. */
const invalidTokenCodes: readonly unknown[] = [102, 190];

export function readGraphErrorCode(body: JsonObject): "invalid_grant" | undefined {
  return invalidTokenCodes.includes(toObject(body["error"])["code"]) ? "invalid_grant" : undefined;
}

const blockedCode = 368;
/** Instagram's error for suspected spam has the code of a rate limit. Only the subcode differs. */
const blockedSubcode = 2207051;

/** Outcomes by error code of Meta's Graph API. Its statuses reveal little: even an expired token has status 400. */
const outcomeByCode = new Map<unknown, FailedOutcome>([
  ...withOutcome(invalidTokenCodes, reconnectOutcome),
  // Rate limits of the app, the user, the page and the use case; 9 is Instagram's quota of posts.
  ...withOutcome([4, 9, 17, 32, 341, 613, 80001, 80002, 80006], rateLimitOutcome),
  ...withOutcome([506], duplicateOutcome),
  ...withOutcome([324, 352, 389, 6000, 6001, 9004, 36000, 36001, 36003], mediaRejectedOutcome),
  ...withOutcome([blockedCode], {
    kind: "rejected",
    code: "blocked",
    message: "The platform has blocked the account or this server from publishing for a while.",
  }),
  // The container is not ready for publishing.
  ...withOutcome([9007], {
    kind: "retry_later",
    retryAfterMs: seconds(30),
    message: "the platform is still processing the media",
  }),
  // Temporary failures. The platform may have executed the request nevertheless.
  ...withOutcome([-2, -1, 1, 2, 24], { kind: "unknown", message: "the platform reported a temporary failure" }),
]);

export function classifyGraphError({ status, headers, body }: ErrorResponse): FailedOutcome | undefined {
  const { code, error_subcode: subcode } = toObject(body["error"]);
  if (status >= 500) return undefined;
  const outcome = outcomeByCode.get(subcode === blockedSubcode ? blockedCode : code);
  return outcome === rateLimitOutcome ? { ...rateLimitOutcome, retryAfterMs: readRegainDelay(headers) } : outcome;
}

/** How long until Meta expects the limit to end: the longest time of all accounts in the header. */
function readRegainDelay(headers: Headers): number | undefined {
  try {
    const usage = toObject(JSON.parse(headers.get("x-business-use-case-usage") ?? "{}"));
    const limits = Object.values(usage).flatMap(toObjectList);
    const times = limits.map(({ estimated_time_to_regain_access: time }) => (typeof time === "number" ? time : 0));
    return toDelay(minutes(Math.max(0, ...times)));
  } catch {
    return undefined;
  }
}

function withOutcome(codes: readonly unknown[], outcome: FailedOutcome): [unknown, FailedOutcome][] {
  return codes.map((code) => [code, outcome]);
}
