import type { Size } from "./plan-layout.ts";
import type { EncodableType, RenditionChange, RenditionPlan } from "./plan-rendition.ts";

const typeNames: Record<EncodableType, string> = { "image/jpeg": "JPEG", "image/png": "PNG", "image/webp": "WebP" };

/** Describes the visible changes of a rendition, such as “converted to JPEG, 2048 × 1536”; undefined if none. */
export function describeRender({
  changes,
  encodings,
  layouts,
}: Extract<RenditionPlan, { kind: "render" }>): { action: string; sizeText: string; size: Size } | undefined {
  const [encoding, layout] = [encodings[0], layouts[0]];
  if (!encoding || !layout || changes.length === 0) return undefined;
  const isConverted = changes.includes("type");
  const phrases: [change: RenditionChange, phrase: string | false][] = [
    ["type", `converted to ${typeNames[encoding.type]}`],
    // A conversion to another type includes both of these changes.
    ["bytes", !isConverted && "compressed"],
    ["size", !isConverted && "scaled down"],
    ["pad", "padded"],
    ["crop", "cropped"],
    ["animation", "reduced to the first frame"],
    ["alpha", "given a white background"],
  ];
  const actions = phrases.flatMap(([change, phrase]) => (phrase && changes.includes(change) ? [phrase] : []));
  const size = layout.canvas;
  const prefix = changes.includes("bytes") ? "at most " : "";
  return { action: joinWords(actions), sizeText: `${prefix}${size.width} × ${size.height}`, size };
}

function joinWords(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${last}` : last;
}
