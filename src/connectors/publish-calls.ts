import { PlatformError } from "#domain/platforms/platform-error.ts";
import type { FailedOutcome, PublishRequest } from "#domain/publishing/ports.ts";
import { seconds } from "#lib/clock.ts";
import { createBoundCallSender, isBound } from "./atproto/proofs.ts";
import { readObject, sendCall, type CallOptions } from "./call-api.ts";
import type { PlatformSetup } from "./connectors.ts";
import type { ApiCall, Endpoints, JsonObject } from "./platform.ts";
import type { Publishing, PublishContext } from "./publishing.ts";

/** A parsed response, or why there is none. */
export type CallOutcome<T> = { value: T } | FailedOutcome;

/** Sends the API calls that each platform's `Publishing` declares. */
export interface PublishCalls {
  /** Undefined if this server can't publish to the platform. */
  findPublishing(platformId: string): Publishing | undefined;
  getPublishing(platformId: string): Publishing;
  getEndpoints(platformId: string, instance: string): Pick<Endpoints, "api">;
  createContext(request: PublishRequest): PublishContext;
  /** Never throws. A response that can't be parsed leaves the outcome unknown. */
  call<T>(
    platformId: string,
    call: ApiCall,
    parse: (body: JsonObject, status: number) => T,
    options?: CallOptions,
  ): Promise<CallOutcome<T>>;
}

export function createPublishCalls(setups: readonly PlatformSetup[]): PublishCalls {
  const byId = new Map(setups.map((setup) => [setup.platform.id, setup]));
  const sendBoundCall = createBoundCallSender();

  function getSetup(platformId: string): PlatformSetup {
    const setup = byId.get(platformId);
    if (!setup) throw new Error(`unknown platform ${platformId}`);
    return setup;
  }

  function getEndpoints(platformId: string, instance: string): Pick<Endpoints, "api"> {
    const { platform } = getSetup(platformId);
    if (platform.protocol === "atproto") return { api: instance };
    const { endpoints } = platform;
    return typeof endpoints === "function" ? endpoints(instance) : endpoints;
  }

  return {
    findPublishing: (platformId) => byId.get(platformId)?.platform.publishing,
    getPublishing(platformId) {
      const { publishing } = getSetup(platformId).platform;
      if (!publishing) throw new Error(`publishing to ${platformId} is not supported`);
      return publishing;
    },
    getEndpoints,
    createContext({ connection: { platform, instance, account }, ...request }) {
      const { serverUrl } = request.binding ?? {};
      const endpoints = serverUrl === undefined ? getEndpoints(platform, instance) : { api: serverUrl };
      return { ...request, account, endpoints };
    },
    async call(platformId, call, parse, options) {
      const { publicFetch } = getSetup(platformId);
      try {
        const response = isBound(call)
          ? await sendBoundCall(publicFetch, call, options)
          : await sendCall(publicFetch, call, options);
        return classifyStatus(response) ?? { value: parse(await readObject(response), response.status) };
      } catch (error) {
        const message = error instanceof PlatformError ? error.message : "the platform sent an unexpected response";
        return { kind: "unknown", message };
      }
    },
  };
}

/** Statuses that may follow a request that was executed, or is being executed. */
const inconclusiveStatuses: readonly number[] = [408, 409, 425];

/** Undefined for success. A failure is `unknown` unless its status proves that nothing was published. */
function classifyStatus(response: Response): FailedOutcome | undefined {
  const { status } = response;
  if (status >= 200 && status <= 299) return undefined;
  if (status === 401) return { kind: "reconnect", message: "The platform no longer accepts this connection." };
  if (status === 429)
    return {
      kind: "retry_later",
      retryAfterMs: readRetryAfter(response),
      message: "the platform's rate limit is reached",
    };
  if (status >= 400 && status <= 499 && !inconclusiveStatuses.includes(status))
    return { kind: "rejected", code: "rejected", message: `The platform rejected the post (status ${status}).` };
  const retryAfterMs = readRetryAfter(response);
  return { kind: "unknown", message: `the platform responded with status ${status}`, retryAfterMs };
}

/** In seconds, or as a date (RFC 9110 §10.2.3). */
function readRetryAfter({ headers }: Response): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const delay = /^\d+$/.test(value) ? seconds(Number(value)) : Date.parse(value) - Date.now();
  return Number.isFinite(delay) && delay > 0 ? delay : undefined;
}
