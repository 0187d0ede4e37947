import { once } from "node:events";
import type { ContentAsset } from "#domain/model/publication-content.ts";
import { seconds } from "#lib/clock.ts";
import { StepFailure, mediaRejectedOutcome, stillProcessingOutcome } from "./step-failure.ts";
import type { CallContext, ModuleProgress, PrepareContext } from "./publish-module.ts";

export interface UploadedFile {
  id: string;
  /** Whether the platform still processes the file. */
  isPending?: boolean;
}

/** Uploads the files that are not at the platform yet, and saves their ids as they arrive. */
export async function uploadFiles(
  context: PrepareContext,
  upload: (asset: ContentAsset) => Promise<UploadedFile>,
): Promise<void> {
  for (const asset of context.content.assets) {
    const { mediaIds, pendingIds = [] } = context.progress;
    if (mediaIds[asset.id] !== undefined) continue;
    const { id, isPending } = await upload(asset);
    await context.save({
      mediaIds: { ...mediaIds, [asset.id]: id },
      ...(isPending ? { pendingIds: [...pendingIds, id] } : {}),
    });
  }
}

/** How long one run waits for the platform to process media or a container. Later runs continue to wait. */
const maxWaitMs = seconds(30);
const pollDelay = { minMs: seconds(1), maxMs: seconds(10) } as const;

/** The status of media, or of a container. `expired`: it can no longer become public. Only a container is `published`. */
export type ProcessingStatus =
  /** `checkAfterMs`: when to check again, if the platform states that. */
  { kind: "in_progress"; checkAfterMs?: number } | ProcessedStatus;

interface ProcessedStatus {
  kind: "ready" | "rejected" | "expired" | "published";
}

/** Polls the status until the platform has processed the media or the container. Fails after `maxWaitMs`. */
export async function awaitProcessing(
  { sleep, signal }: Pick<PrepareContext, "sleep" | "signal">,
  readStatus: () => Promise<ProcessingStatus>,
): Promise<ProcessedStatus> {
  const abort = once(signal, "abort");
  let delayMs: number = pollDelay.minMs;
  for (let waitedMs = 0; waitedMs < maxWaitMs && !signal.aborted; waitedMs += delayMs) {
    const status = await readStatus();
    if (status.kind !== "in_progress") return status;
    // To send few requests, each delay is twice the previous one, unless the platform states a delay.
    const nextDelayMs = status.checkAfterMs ?? (waitedMs === 0 ? delayMs : delayMs * 2);
    delayMs = Math.min(Math.max(nextDelayMs, pollDelay.minMs), pollDelay.maxMs);
    await Promise.race([sleep(delayMs), abort]);
  }
  throw new StepFailure(stillProcessingOutcome); // after an abort, too: the worker looks at the signal first
}

/** Waits until the platform has processed the uploaded files. Returns whether one of them has expired. */
export async function awaitFiles(
  context: PrepareContext,
  readStatus: (mediaId: string, asset: ContentAsset) => Promise<ProcessingStatus>,
): Promise<"ready" | "expired"> {
  for (const asset of context.content.assets) {
    const mediaId = requireMediaId(context.progress, asset.id);
    if (!context.progress.pendingIds?.includes(mediaId)) continue;
    const { kind } = await awaitProcessing(context, () => readStatus(mediaId, asset));
    if (kind === "expired") return "expired";
    if (kind !== "ready") throw new StepFailure(mediaRejectedOutcome);
  }
  return "ready";
}

/** The id at the platform of a file that was uploaded. */
export function requireMediaId({ mediaIds }: ModuleProgress, assetId: string): string {
  const mediaId = mediaIds[assetId];
  if (mediaId === undefined) throw new Error("a file of the post was not uploaded");
  return mediaId;
}

/** The ids of the post's files at the platform, in the order of the post. */
export const listMediaIds = ({ content, progress }: Pick<CallContext, "content" | "progress">): string[] =>
  content.assets.map(({ id }) => requireMediaId(progress, id));
