import type { ContentAsset } from "#domain/model/publication-content.ts";
import { awaitProcessing, type ProcessingStatus } from "./await-processing.ts";
import { CallFailure, mediaRejectedOutcome } from "./call-failure.ts";
import type { CallContext, PrepareContext } from "./publish-module.ts";

export interface UploadedFile {
  id: string;
  /** Whether the platform still processes the file. */
  isPending: boolean;
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

/** Waits until the platform has processed the uploaded files. Returns whether one of them has expired. */
export async function awaitFiles(
  context: PrepareContext,
  readStatus: (mediaId: string, asset: ContentAsset) => Promise<ProcessingStatus>,
): Promise<"ready" | "expired"> {
  for (const asset of context.content.assets) {
    const mediaId = context.progress.mediaIds[asset.id] ?? "";
    if (!context.progress.pendingIds?.includes(mediaId)) continue;
    const { kind } = await awaitProcessing(context, () => readStatus(mediaId, asset));
    if (kind === "expired") return "expired";
    if (kind !== "ready") throw new CallFailure(mediaRejectedOutcome);
  }
  return "ready";
}

/** The ids of the post's files at the platform, in the order of the post. */
export const listMediaIds = ({ content, progress }: Pick<CallContext, "content" | "progress">): string[] =>
  content.assets.map(({ id }) => progress.mediaIds[id] ?? "");
