import type { ContentAsset, FailedOutcome, Publisher, PublishRequest } from "#domain/publishing/ports.ts";
import type { PlatformSetup } from "./connectors.ts";
import { lookUpPost, mediaRejected, readEarlierPosts } from "./lookup-post.ts";
import type { ApiCall, JsonObject } from "./platform.ts";
import { createPublishCalls, type CallOutcome } from "./publish-calls.ts";
import type { Publishing, RemotePost } from "./publishing.ts";
import { resolveMentions } from "./resolve-mentions.ts";
import { createUploadBody } from "./upload-body.ts";

export interface PublisherOptions {
  setups: readonly PlatformSetup[];
  /** Reads a stored file. */
  openFile: (key: string) => Promise<AsyncIterable<Uint8Array>>;
  sleep: (ms: number) => Promise<void>;
}

/** How often, and how many times, the platform is asked in one run whether it has processed media or a container. */
const poll = { intervalMs: 1000, max: 30 } as const;

type ProcessingStatus = "in_progress" | "ready" | "rejected" | RemotePost;

/** Executes the publishing descriptions of the platforms. */
export function createPublisher({ setups, openFile, sleep }: PublisherOptions): Publisher {
  const calls = createPublishCalls(setups);

  async function uploadMedia(
    request: PublishRequest,
    { buildCall, parseId, processing }: NonNullable<Publishing["media"]>,
    asset: ContentAsset,
    signal: AbortSignal,
  ): Promise<CallOutcome<{ id: string; isPending: boolean }>> {
    const { upload: form, ...call } = buildCall(calls.createContext(request), asset);
    const file = { bytes: asset.bytes, open: () => openFile(asset.storageKey) };
    const parse = (body: JsonObject, status: number) => ({
      id: parseId(body),
      isPending: processing?.isPending(status) ?? false,
    });
    return calls.call(request.connection.platform, call, parse, { ...createUploadBody(form, file), signal });
  }

  /** Asks until the platform has processed what was sent. Undefined when it is ready, or after `signal`. */
  async function awaitProcessing(
    platformId: string,
    call: ApiCall,
    parseStatus: (body: JsonObject, status: number) => ProcessingStatus,
    signal: AbortSignal,
  ): Promise<FailedOutcome | undefined> {
    for (let polls = 0; polls < poll.max; polls++) {
      if (signal.aborted) return undefined;
      const status = await calls.call(platformId, call, parseStatus, { signal });
      if ("kind" in status) return status;
      if (status.value === "ready") return undefined;
      if (status.value !== "in_progress") return mediaRejected;
      await sleep(poll.intervalMs);
    }
    return { kind: "unknown", message: "the platform is still processing the media" };
  }

  return {
    listHosts: ({ platform, instance }) =>
      calls.findPublishing(platform)?.hosts(calls.getEndpoints(platform, instance)) ?? [],
    getReconciliation(platformId) {
      const { reconcile } = calls.getPublishing(platformId);
      const isRepeated = typeof reconcile === "object" && "repeatWithinMs" in reconcile;
      return { repeatWithinMs: isRepeated ? reconcile.repeatWithinMs : undefined };
    },
    async prepare(request, saveProgress, signal) {
      const { platform } = request.connection;
      const { media, container } = calls.getPublishing(platform);
      const progress = { ...request.progress, mediaIds: { ...request.progress.mediaIds } };
      const isStopped = (): boolean => signal.aborted;
      for (const asset of media ? request.content.assets : []) {
        if (!media || isStopped()) break;
        if (progress.mediaIds[asset.id] !== undefined) continue;
        const upload = await uploadMedia({ ...request, progress }, media, asset, signal);
        if ("kind" in upload) return upload;
        const { id, isPending } = upload.value;
        progress.mediaIds[asset.id] = id;
        if (isPending) progress.pendingIds = [...(progress.pendingIds ?? []), id];
        await saveProgress(progress);
      }
      for (const mediaId of progress.pendingIds ?? []) {
        if (!media?.processing) break;
        const call = media.processing.buildStatusCall(calls.createContext({ ...request, progress }), mediaId);
        const failure = await awaitProcessing(platform, call, media.processing.parseStatus, signal);
        if (failure) return failure;
      }
      if (!isStopped()) {
        const mentions = await resolveMentions(calls, { ...request, progress });
        if ("kind" in mentions) return mentions;
        if (mentions.value) await saveProgress(Object.assign(progress, { mentions: mentions.value }));
        const failure = await readEarlierPosts(calls, { ...request, progress }, saveProgress);
        if (failure) return failure;
      }
      if (!container || isStopped()) return { kind: "prepared" };
      if (progress.containerId === undefined) {
        const call = container.buildCall(calls.createContext({ ...request, progress }));
        const created = await calls.call(platform, call, container.parseId, { signal });
        if ("kind" in created) return created;
        progress.containerId = created.value;
        await saveProgress(progress);
      }
      const statusCall = container.buildStatusCall(calls.createContext({ ...request, progress }));
      const failure = await awaitProcessing(platform, statusCall, container.parseStatus, signal);
      return failure ?? { kind: "prepared" };
    },
    async commit(request) {
      const { platform } = request.connection;
      const { commit } = calls.getPublishing(platform);
      const context = calls.createContext(request);
      const post = await calls.call(platform, commit.buildCall(context), (body) => commit.parsePost(body, context));
      return "kind" in post ? post : { kind: "published", remoteId: post.value.id, url: post.value.url };
    },
    lookUp: (request, isTaken) => lookUpPost(calls, request, isTaken),
  };
}
