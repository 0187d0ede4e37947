import type { MediaMetadata } from "../../model/asset.ts";
import type { DeclaredType } from "../../model/declared-type.ts";
import { unknownMetadata } from "../../model/media.ts";
import type { ByteSource } from "../../ports/byte-source.ts";
import type { Deps } from "../../ports/deps.ts";
import type { ContentCheckResult } from "./check-content.ts";

/** Returns the metadata that the headers of a file state; an image was already read by the content check. */
export async function readMediaMetadata(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declaredType: DeclaredType,
  { imageHeader }: ContentCheckResult,
): Promise<MediaMetadata> {
  if (declaredType.kind === "video") return deps.media.readVideoMetadata(source, declaredType.mimeType);
  if (!imageHeader || imageHeader.width === 0 || imageHeader.height === 0) return unknownMetadata;
  return { width: imageHeader.width, height: imageHeader.height, durationMs: null };
}
