import type { AssetDetail } from "../assets/model/asset.ts";
import type { FileProblem } from "./group-problems.ts";
import type { PostLimits } from "./limits.ts";

/** Platforms accept files without alt text, but reject an alt text that is too long. */
export function findAltTextProblems(
  { altText: limit }: PostLimits,
  assets: readonly AssetDetail[],
  level: FileProblem["level"],
): FileProblem[] {
  if (!limit) return [];
  const { maxLength = Infinity, isSentForVideos = false } = limit;
  return assets.flatMap((file): FileProblem[] => {
    if (file.kind !== "image" && !(file.kind === "video" && isSentForVideos)) return [];
    const length = Array.from(file.altText ?? "").length;
    if (length === 0) {
      if (file.kind !== "image") return [];
      const missingAltText = { code: "alt_text_missing", one: "has no alt text", many: "have no alt text" };
      return [{ ...missingAltText, level: "warning", file }];
    }
    if (length <= maxLength) return [];
    return [
      {
        level,
        file,
        code: "alt_text_too_long",
        one: `has an alt text of ${length} characters; the platform allows up to ${maxLength}`,
        many: `have alt texts that are too long; the platform allows up to ${maxLength} characters`,
      },
    ];
  });
}
