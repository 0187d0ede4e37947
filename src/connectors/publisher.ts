import type { ContentAsset, FailedOutcome, Publisher, PublishRequest } from "#domain/publishing/ports.ts";
import type { PublicationProgress } from "#domain/publishing/progress.ts";
import { awaitProcessing } from "./await-processing.ts";
import { mediaRejectedOutcome } from "./classify-status.ts";
import { lookUpPost, saveEarlierPostIds } from "./lookup-post.ts";
import type { MediaUpload } from "./media-upload.ts";
import { createPublishCalls, type PublishCallsOptions } from "./publish-calls.ts";
import type { Publishing } from "./publishing.ts";
import { resolveMentions } from "./resolve-mentions.ts";
import { uploadMedia, type OpenFile } from "./upload-media.ts";

export interface PublisherOptions extends PublishCallsOptions {
  openFile: OpenFile;
  sleep: (ms: number) => Promise<void>;
}

type SaveProgress = (progress: PublicationProgress) => Promise<void>;

/** Discards the progress, so that the next run uploads everything again. */
async function startOver(saveProgress: SaveProgress): Promise<FailedOutcome> {
  await saveProgress({ mediaIds: {} });
  return { kind: "unknown", message: "the prepared post has failed or expired at the platform" };
}

/** Publishes as the `Publishing` of each platform describes. */
export function createPublisher({ openFile, sleep, ...options }: PublisherOptions): Publisher {
  const calls = createPublishCalls(options);

  const chooseUpload = (request: PublishRequest, asset: ContentAsset): MediaUpload | undefined => {
    const { media } = calls.getPublishing(request.connection.platform);
    return typeof media === "function" ? media(asset, request.content) : media;
  };

  /** Uploads the files that are not at the platform yet, and waits until the platform has processed them. */
  async function prepareMedia(
    request: PublishRequest,
    saveProgress: SaveProgress,
    signal: AbortSignal,
  ): Promise<FailedOutcome | undefined> {
    const { content, progress, connection } = request;
    // The container has the files, and may already be public.
    if (progress.containerId !== undefined) return undefined;
    const transfer = { calls, platformId: connection.platform, openFile, signal };
    for (const asset of content.assets) {
      const upload = chooseUpload(request, asset);
      if (signal.aborted) return undefined;
      if (!upload || progress.mediaIds[asset.id] !== undefined) continue;
      const media = await uploadMedia(transfer, upload, asset, calls.createContext(request));
      if ("kind" in media) return media;
      const { id, isPending } = media.value;
      progress.mediaIds[asset.id] = id;
      if (isPending) progress.pendingIds = [...(progress.pendingIds ?? []), id];
      await saveProgress(progress);
    }
    for (const asset of content.assets) {
      const mediaId = progress.mediaIds[asset.id] ?? "";
      const processing = chooseUpload(request, asset)?.processing;
      if (!processing || !progress.pendingIds?.includes(mediaId)) continue;
      const call = processing.buildStatusCall(calls.createContext(request), mediaId);
      const readStatus = () => calls.call(connection.platform, call, processing.parseStatus, { signal });
      const status = await awaitProcessing(readStatus, sleep, signal);
      if ("kind" in status) return status;
      if (status.value === "rejected") return mediaRejectedOutcome;
      if (status.value === "expired") return startOver(saveProgress);
    }
    return undefined;
  }

  /** Creates the container, and waits until the platform has processed it. */
  async function prepareContainer(
    request: PublishRequest,
    { buildCall, parseId, buildStatusCall, parseStatus }: NonNullable<Publishing["container"]>,
    saveProgress: SaveProgress,
    signal: AbortSignal,
  ): Promise<FailedOutcome | undefined> {
    const { progress, connection } = request;
    const isNew = progress.containerId === undefined;
    if (isNew) {
      const container = await calls.call(connection.platform, buildCall(calls.createContext(request)), parseId, {
        signal,
      });
      if ("kind" in container) return container;
      progress.containerId = container.value;
      await saveProgress(progress);
    }
    const statusCall = buildStatusCall(calls.createContext(request));
    const readStatus = () => calls.call(connection.platform, statusCall, parseStatus, { signal });
    const status = await awaitProcessing(readStatus, sleep, signal);
    // The platform no longer knows the container of an earlier run.
    if ("kind" in status && status.kind === "rejected" && !isNew) return startOver(saveProgress);
    if ("kind" in status) return status;
    if (status.value === "rejected") return mediaRejectedOutcome;
    if (status.value === "expired") return startOver(saveProgress);
    // An earlier commit made the post public, although its response did not say so.
    const isPublic = status.value === "published" || typeof status.value === "object";
    if (isPublic) await saveProgress(Object.assign(progress, { isPublic }));
    return undefined;
  }

  /**
   * For a user who publishes again while the platform still processes the earlier commit. If that processing failed, the
   * next run starts over. Otherwise sets `isPublic`, so that no second commit is sent.
   */
  async function checkEarlierCommit(
    request: PublishRequest,
    saveProgress: SaveProgress,
  ): Promise<FailedOutcome | undefined> {
    const { progress, connection } = request;
    const { processing } = calls.getPublishing(connection.platform).commit;
    if (progress.processingId === undefined || !processing) return undefined;
    const context = calls.createContext(request);
    const call = processing.buildStatusCall(context, progress.processingId);
    const status = await calls.call(connection.platform, call, (body) => processing.parseStatus(body, context));
    const isGone = "kind" in status && status.kind === "rejected";
    if ("kind" in status && !isGone) return status;
    if (isGone || ("value" in status && status.value === "rejected")) return startOver(saveProgress);
    await saveProgress(Object.assign(progress, { isPublic: true }));
    return undefined;
  }

  async function checkQuota(request: PublishRequest): Promise<FailedOutcome | undefined> {
    const { platform } = request.connection;
    const { quota } = calls.getPublishing(platform);
    if (!quota) return undefined;
    const quotaOutcome = await calls.call(platform, quota.buildCall(calls.createContext(request)), quota.isReached);
    // If the platform does not let us read the quota, continue: it rejects the commit if the quota is reached.
    if ("kind" in quotaOutcome) return quotaOutcome.kind === "rejected" ? undefined : quotaOutcome;
    const message = "the account has published as many posts as the platform allows for now";
    return quotaOutcome.value ? { kind: "retry_later", retryAfterMs: undefined, message } : undefined;
  }

  /** Undefined if the URL can't be read; the post is public even so. */
  async function readPermalink(request: PublishRequest, postId: string): Promise<string | undefined> {
    const { permalink } = calls.getPublishing(request.connection.platform);
    if (!permalink) return undefined;
    const call = permalink.buildCall(calls.createContext(request), postId);
    const url = await calls.call(request.connection.platform, call, permalink.parseUrl);
    return "kind" in url ? undefined : (url.value ?? undefined);
  }

  return {
    listPostHosts: ({ platform, instance }) =>
      calls.findPublishing(platform)?.listPostHosts(calls.getEndpoints(platform, instance)) ?? [],
    getReconciliation(platformId) {
      const { reconcile } = calls.getPublishing(platformId);
      return typeof reconcile === "object" && "repeatWithinMs" in reconcile ? reconcile : {};
    },
    async prepare(initialRequest, saveProgress, signal) {
      const progress = { ...initialRequest.progress, mediaIds: { ...initialRequest.progress.mediaIds } };
      const request = { ...initialRequest, progress };
      const { container } = calls.getPublishing(request.connection.platform);
      const isStopped = (): boolean => signal.aborted;
      const earlierFailure = await checkEarlierCommit(request, saveProgress);
      if (earlierFailure) return earlierFailure;
      if (progress.isPublic) return { kind: "prepared" };
      const hasContainer = progress.containerId !== undefined;
      const quotaFailure = hasContainer ? undefined : await checkQuota(request);
      if (quotaFailure) return quotaFailure;
      const mediaFailure = await prepareMedia(request, saveProgress, signal);
      if (mediaFailure) return mediaFailure;
      if (!isStopped()) {
        const mentions = await resolveMentions(calls, request, signal);
        if ("kind" in mentions) return mentions;
        if (mentions.value) await saveProgress(Object.assign(progress, { mentions: mentions.value }));
        const postsFailure = await saveEarlierPostIds(calls, request, saveProgress);
        if (postsFailure) return postsFailure;
      }
      // If the signal stopped the preparation, the caller does not commit.
      if (!container || isStopped()) return { kind: "prepared" };
      const containerFailure = await prepareContainer(request, container, saveProgress, signal);
      if (containerFailure) return containerFailure;
      // The container of an earlier run may be public. Find that out before the quota check, which can end the run.
      const mustCheckQuota = hasContainer && !progress.isPublic;
      return (mustCheckQuota ? await checkQuota(request) : undefined) ?? { kind: "prepared" };
    },
    async commit(request) {
      const { platform } = request.connection;
      const { commit } = calls.getPublishing(platform);
      // `unknown` makes the worker reconcile, which finds the post.
      if (request.progress.isPublic) return { kind: "unknown", message: "the post is already public" };
      const context = calls.createContext(request);
      const post = await calls.call(platform, commit.buildCall(context), (body, _status, headers) =>
        commit.parsePost(body, context, headers),
      );
      if ("kind" in post) return post;
      const { id, url } = post.value;
      if (commit.processing?.isRequired(request.content)) return { kind: "processing", processingId: id };
      return { kind: "published", remoteId: id, url: (await readPermalink(request, id)) ?? url };
    },
    lookUp: (request, isTaken) => lookUpPost(calls, request, isTaken),
  };
}
