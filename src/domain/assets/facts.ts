import type { Deps } from "../deps.ts";
import type { MediaFacts } from "./asset.ts";
import type { ByteSource } from "./byte-source.ts";
import type { Declared } from "./declared.ts";
import type { Passed } from "./gate/gate.ts";

/** Measures of a picture or video; where nobody can open it, at least what its header declares. */
export async function learnFacts(
  deps: Pick<Deps, "media">,
  source: ByteSource,
  declared: Declared,
  { size }: Passed,
): Promise<MediaFacts> {
  const facts = await deps.media.describe(source, declared.mimeType);
  if (facts.width !== null || !size || size.width === 0 || size.height === 0) return facts;
  return { ...facts, width: size.width, height: size.height };
}
