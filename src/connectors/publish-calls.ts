import { PlatformError } from "#domain/platforms/platform-error.ts";
import type { ContentAsset, FailedOutcome, PublishRequest } from "#domain/publishing/ports.ts";
import { createBoundCallSender, isBound } from "./atproto/proofs.ts";
import { readObject, sendCall, type CallOptions } from "./call-api.ts";
import { classifyStatus } from "./classify-status.ts";
import type { PlatformSetup } from "./connectors.ts";
import type { ApiCall, Endpoints, JsonObject } from "./platform.ts";
import type { ErrorResponse, Publishing, PublishContext } from "./publishing.ts";

/** A parsed response, or why there is none. */
export type CallOutcome<T> = { value: T } | FailedOutcome;

/** `ignoresBody`: if the call succeeds, only the status and headers matter, and the body is not parsed. */
export type PublishCallOptions = CallOptions & { ignoresBody?: boolean };

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
    parse: (body: JsonObject, status: number, headers: Headers) => T,
    options?: PublishCallOptions,
  ): Promise<CallOutcome<T>>;
}

export interface PublishCallsOptions {
  setups: readonly PlatformSetup[];
  /** Signs a public URL from which a platform can fetch this file, and no other, for an hour. */
  createMediaUrl: (asset: ContentAsset) => string;
}

export function createPublishCalls({ setups, createMediaUrl }: PublishCallsOptions): PublishCalls {
  const setupById = new Map(setups.map((setup) => [setup.platform.id, setup]));
  const sendBoundCall = createBoundCallSender();

  function getSetup(platformId: string): PlatformSetup {
    const setup = setupById.get(platformId);
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
    findPublishing: (platformId) => setupById.get(platformId)?.platform.publishing,
    getPublishing(platformId) {
      const { publishing } = getSetup(platformId).platform;
      if (!publishing) throw new Error(`publishing to ${platformId} is not supported`);
      return publishing;
    },
    getEndpoints,
    createContext({ connection: { platform, instance, account }, ...request }) {
      const { serverUrl } = request.binding ?? {};
      const endpoints = serverUrl === undefined ? getEndpoints(platform, instance) : { api: serverUrl };
      return { ...request, account, endpoints, createMediaUrl };
    },
    async call(platformId, call, parse, options) {
      const { publicFetch, platform } = getSetup(platformId);
      try {
        const response = isBound(call)
          ? await sendBoundCall(publicFetch, call, options)
          : await sendCall(publicFetch, call, options);
        const { ok: isSuccess, status, headers } = response;
        if (isSuccess) return { value: parse(options?.ignoresBody ? {} : await readObject(response), status, headers) };
        return platform.publishing?.classifyError?.(await readError(response)) ?? classifyStatus(response);
      } catch (error) {
        const message = error instanceof PlatformError ? error.message : "the platform sent an unexpected response";
        return { kind: "unknown", message };
      }
    },
  };
}

/** Error responses are not always JSON. */
async function readError(response: Response): Promise<ErrorResponse> {
  const { status, headers } = response;
  try {
    return { status, headers, body: await readObject(response) };
  } catch {
    return { status, headers, body: {} };
  }
}
