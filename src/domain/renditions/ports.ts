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

/**
 * Opens untrusted images within limits of time and memory. Returns undefined if a limit is reached; the same image is
 * then not opened again for a while. `key` identifies the work: parallel calls share one result.
 */
export interface ImageConverter {
  inspectImage(key: string, source: ByteSource): Promise<ImageInspection | undefined>;
  /** `problem`: the image can't be decoded, or does not become small enough. */
  createRendition(
    key: string,
    source: ByteSource,
    plan: ExecutablePlan,
  ): Promise<RenderedImage | { problem: ImageProblem | "too_large" } | undefined>;
}

export interface ImageInspectionStore {
  /** Inspections by asset. */
  list(assetIds: readonly string[]): Promise<Map<string, ImageInspection>>;
  /** Keeps an existing record: the bytes of an asset never change. */
  record(assetId: string, inspection: ImageInspection): Promise<void>;
}
