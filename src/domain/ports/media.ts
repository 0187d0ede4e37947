import type { MediaMetadata } from "../model/asset.ts";
import type {
  EncodableType,
  ImageInspection,
  ImageProblem,
  RenditionPlan,
} from "../model/renditions/plan-rendition.ts";
import type { ByteSource } from "./byte-source.ts";

/** A plan that creates a file. */
export type ExecutablePlan = Extract<RenditionPlan, { kind: "strip" | "render" }>;

export interface RenderedImage {
  /** Undefined if only metadata was removed. */
  mimeType?: EncodableType;
  content: Uint8Array;
}

/** What an image is opened for. */
export interface ImageRequest {
  /** Identifies the work: parallel calls share one result. */
  key: string;
  /** Identifies the original's bytes. */
  imageKey: string;
  studioId: string;
  /** Whether the result is for a publication. Publications come before all previews. */
  isUrgent: boolean;
  /** Aborts when the result is no longer needed. Work that has started continues. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens untrusted images within limits of time and memory. Returns undefined if a limit is reached; for a while, the
 * same request and every preview of the same image then return undefined immediately. Also returns undefined if the
 * studio has too many images waiting.
 */
export interface ImageConverter {
  /** An image that repeatedly takes too long counts as unreadable. */
  inspectImage(request: ImageRequest, source: ByteSource): Promise<ImageInspection | undefined>;
  /** `problem`: the image can't be decoded, or does not become small enough. */
  createRendition(
    request: ImageRequest,
    source: ByteSource,
    plan: ExecutablePlan,
  ): Promise<RenderedImage | { problem: ImageProblem | "too_large" } | undefined>;
  /** Creates an upright WebP without metadata. Returns undefined if the image can't be decoded, and for a while after. */
  createThumbnail(request: ImageRequest, source: ByteSource): Promise<Uint8Array | undefined>;
  /** Ends all work: running and later requests return undefined. */
  close(): void;
}

export interface ImageInspectionStore {
  /** Inspections by asset. */
  list(assetIds: readonly string[]): Promise<Map<string, ImageInspection>>;
  /** Has no effect if the asset already has an inspection: its bytes never change. */
  record(assetId: string, inspection: ImageInspection): Promise<void>;
  /** Records a preview before its file is stored. Deletes the oldest records beyond `maxCount`; returns their keys. */
  recordPreview(assetId: string, key: string, maxCount: number): Promise<string[]>;
  /** Copies the inspection of an asset to a new asset with the same file. */
  copy(fromAssetId: string, toAssetId: string): Promise<void>;
}

/** Opens images and videos. */
export interface MediaReader extends ImageConverter {
  /** Reads a few fields of the headers of a video. Never rejects: values that can't be read in time are null. */
  readVideoMetadata(source: ByteSource, mimeType: string): Promise<MediaMetadata>;
}
