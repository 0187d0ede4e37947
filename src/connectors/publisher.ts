import type { ContentAsset, FailedOutcome, Publisher, PublishRequest } from "#domain/publishing/ports.ts";
import { PlatformError } from "#domain/platforms/platform-error.ts";
import { seconds } from "#lib/clock.ts";
import { readObject, sendCall } from "./call-api.ts";
import type { PlatformSetup } from "./connectors.ts";
import type { ApiCall, Endpoints, JsonObject } from "./platform.ts";
import type { Publishing, PublishContext } from "./publishing.ts";

export interface PublisherOptions {
  setups: readonly PlatformSetup[];
  /** Reads a stored file. */
  readFile: (key: string) => Promise<Uint8Array>;
  sleep: (ms: number) => Promise<void>;
}

/** How often, and how many times, a container is polled in one run. */
const containerPoll = { intervalMs: 1000, max: 30 } as const;

/** Executes the publishing descriptions of the platforms. */
export function createPublisher({ setups, readFile, sleep }: PublisherOptions): Publisher {
  const byId = new Map(setups.map((setup) => [setup.platform.id, setup]));

  function find(platformId: string): { setup: PlatformSetup; publishing: Publishing } {
    const setup = byId.get(platformId);
    const publishing = setup?.platform.publishing;
    if (!setup || !publishing) throw new Error(`publishing to ${platformId} is not supported`);
    return { setup, publishing };
  }

  function getEndpoints(platformId: string, instance: string): Endpoints {
    const { endpoints } = find(platformId).setup.platform;
    return typeof endpoints === "function" ? endpoints(instance) : endpoints;
  }

  function createContext(request: PublishRequest): PublishContext {
    const { connection, accessToken, content, progress, commitKey, committedAt } = request;
    const { platform, instance, account } = connection;
    const endpoints = getEndpoints(platform, instance);
    return { accessToken, accountId: account.id, endpoints, content, progress, commitKey, committedAt };
  }

  /** Sends a call whose failure leaves nothing public. */
  async function callSafely<T>(
    platformId: string,
    call: ApiCall,
    parse: (body: JsonObject) => T,
    signal?: AbortSignal,
  ): Promise<{ value: T } | FailedOutcome> {
    const outcome = await send(platformId, call, signal);
    if ("kind" in outcome) return outcome;
    try {
      return { value: parse(outcome.body) };
    } catch {
      return unexpectedResponse;
    }
  }

  async function send(
    platformId: string,
    call: ApiCall,
    signal?: AbortSignal,
  ): Promise<{ body: JsonObject } | FailedOutcome> {
    const { setup } = find(platformId);
    try {
      const response = await sendCall(setup.publicFetch, call, signal);
      const outcome = classifyStatus(response);
      return outcome ?? { body: await readObject(response) };
    } catch (error) {
      const message = error instanceof PlatformError ? error.message : "it could not be reached";
      return { kind: "unknown", message };
    }
  }

  async function uploadMedia(
    request: PublishRequest,
    publishing: Publishing,
    asset: ContentAsset,
    signal: AbortSignal,
  ): Promise<{ value: string } | FailedOutcome> {
    if (!publishing.media) throw new Error("the platform takes no uploads");
    const call = publishing.media.buildCall(createContext(request), asset);
    const bytes = await readFile(asset.storageKey);
    return callSafely(request.connection.platform, { ...call, bytes }, publishing.media.parseId, signal);
  }

  return {
    listHosts: ({ platform, instance }) =>
      byId.get(platform)?.platform.publishing?.hosts(getEndpoints(platform, instance)) ?? [],
    getReconciliation(platformId) {
      const { reconcile } = find(platformId).publishing;
      const isRepeated = typeof reconcile === "object" && "repeatWithinMs" in reconcile;
      return { repeatWithinMs: isRepeated ? reconcile.repeatWithinMs : undefined };
    },
    async prepare(request, saveProgress, signal) {
      const { publishing } = find(request.connection.platform);
      const progress = { ...request.progress, mediaIds: { ...request.progress.mediaIds } };
      const isStopped = (): boolean => signal.aborted;
      if (publishing.media) {
        for (const asset of request.content.assets) {
          if (isStopped()) break;
          if (progress.mediaIds[asset.id] !== undefined) continue;
          const upload = await uploadMedia({ ...request, progress }, publishing, asset, signal);
          if ("kind" in upload) return upload;
          progress.mediaIds[asset.id] = upload.value;
          await saveProgress(progress);
        }
      }
      if (!publishing.container || isStopped()) return { kind: "prepared" };
      const { platform } = request.connection;
      if (progress.containerId === undefined) {
        const call = publishing.container.buildCall(createContext({ ...request, progress }));
        const container = await callSafely(platform, call, publishing.container.parseId, signal);
        if ("kind" in container) return container;
        progress.containerId = container.value;
        await saveProgress(progress);
      }
      for (let polls = 0; polls < containerPoll.max && !isStopped(); polls++) {
        const call = publishing.container.buildStatusCall(createContext({ ...request, progress }));
        const status = await callSafely(platform, call, publishing.container.parseStatus, signal);
        if ("kind" in status) return status;
        if (status.value === "ready") return { kind: "prepared" };
        if (status.value !== "in_progress") return mediaRejected;
        await sleep(containerPoll.intervalMs);
      }
      return { kind: "unknown", message: "the platform is still processing the media" };
    },
    async commit(request) {
      const { publishing } = find(request.connection.platform);
      const outcome = await send(request.connection.platform, publishing.commit.buildCall(createContext(request)));
      if ("kind" in outcome) return outcome;
      try {
        const { id, url } = publishing.commit.parsePost(outcome.body);
        return { kind: "published", remoteId: id, url };
      } catch {
        return unexpectedResponse;
      }
    },
    async lookUp(request, isTaken) {
      const { platform } = request.connection;
      const { publishing } = find(platform);
      const context = createContext(request);
      const { container, reconcile } = publishing;
      if (reconcile === "container" && container) {
        const status = await callSafely(platform, container.buildStatusCall(context), container.parseStatus);
        if ("kind" in status) return toUnknown(status);
        if (status.value === "ready") return { kind: "repeatable" };
        if (status.value === "rejected") return mediaRejected;
        return status.value === "in_progress"
          ? { kind: "unknown", message: "the platform is still processing the media" }
          : { kind: "published", remoteId: status.value.id, url: status.value.url };
      }
      if (typeof reconcile !== "object" || !("findPosts" in reconcile))
        throw new Error("this platform's commit is repeated, not looked up");
      const { buildCall, findPosts } = reconcile;
      const posts = await callSafely(platform, buildCall(context), (body) => findPosts(body, context));
      if ("kind" in posts) return toUnknown(posts);
      for (const { id, url } of posts.value) if (!(await isTaken(id))) return { kind: "published", remoteId: id, url };
      return { kind: "absent" };
    },
  };
}

const unexpectedResponse = { kind: "unknown", message: "the platform sent an unexpected response" } as const;
const mediaRejected = {
  kind: "rejected",
  code: "media_rejected",
  message: "The platform rejected the media.",
} as const;

/** A read that fails proves nothing, unless the credentials are no longer valid. */
const toUnknown = (outcome: FailedOutcome): Extract<FailedOutcome, { kind: "reconnect" | "unknown" }> =>
  outcome.kind === "reconnect"
    ? outcome
    : {
        kind: "unknown",
        message: outcome.message,
        retryAfterMs: "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined,
      };

/** Statuses that may follow a request that was executed, or is being executed. */
const inconclusiveStatuses: readonly number[] = [408, 409, 425];

/** Undefined for success. Only statuses that prove that nothing was published are anything but `unknown`. */
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
