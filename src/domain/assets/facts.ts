import type { Deps } from "../deps.ts";
import type { MediaMetadata } from "./asset.ts";
import type { ByteSource } from "./byte-source.ts";
import type { DeclaredType } from "./declared.ts";
import type { ContentCheckResult } from "./gate/gate.ts";

/** Measures of a picture or video; where nobody can open it, at least what its header declares. */
export async function readMediaMetadata(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declaredType: DeclaredType,
  { size }: ContentCheckResult,
): Promise<MediaMetadata> {
  const metadata = await deps.media.readMetadata(source, declaredType.mimeType);
  if (metadata.width !== null || !size || size.width === 0 || size.height === 0) return metadata;
  return { ...metadata, width: size.width, height: size.height };
}
