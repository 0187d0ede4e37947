import type { ByteSource } from "../assets/content/byte-source.ts";
import type { EncodableType, ImageTraits, RenditionPlan } from "./plan-rendition.ts";

/** Why an image can't be converted: it is damaged, or opening it would need too much memory. */
export type ImageProblem = "unreadable" | "too_many_pixels";

/** What opening an image showed. */
export type ImageInspection = ImageTraits | { problem: ImageProblem };

/** A plan that creates a file. */
export type ExecutablePlan = Extract<RenditionPlan, { kind: "strip" | "render" }>;

export interface RenderedImage {
  /** Absent if only metadata was removed. */
  mimeType?: EncodableType;
  content: Uint8Array;
}

/** Who needs an image opened. */
export interface ImageRequest {
  /** Identifies the work: parallel calls share one result. */
  key: string;
  /** Identifies the original's bytes. */
  imageKey: string;
  studioId: string;
  /** For a publication, which comes before all previews. */
  isUrgent: boolean;
  /** Aborts when the result is no longer needed. Work that has started continues. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens untrusted images within limits of time and memory. Returns undefined if a limit is reached; the same work, and
 * every preview of the same image, is then not tried again for a while. Also returns undefined if the studio has too
 * many images waiting.
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
}

export interface ImageInspectionStore {
  /** Inspections by asset. */
  list(assetIds: readonly string[]): Promise<Map<string, ImageInspection>>;
  /** Keeps an existing record: the bytes of an asset never change. */
  record(assetId: string, inspection: ImageInspection): Promise<void>;
  /** Records a preview of an image before it is stored. Forgets the oldest ones beyond `maxCount`, and returns their keys. */
  recordPreview(assetId: string, key: string, maxCount: number): Promise<string[]>;
  /** For a new asset with the same file. */
  copy(fromAssetId: string, toAssetId: string): Promise<void>;
}
