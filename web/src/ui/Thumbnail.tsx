import { FileText, Image, Play, SquarePlay, type LucideIcon } from "lucide-react";
import { useState } from "react";

const kindIcons: Record<string, LucideIcon> = { image: Image, video: SquarePlay };

const sizeClasses = {
  tiny: "size-6 rounded-sm",
  small: "size-9 rounded-sm",
  medium: "size-14 rounded-md",
  large: "aspect-square w-full rounded-md",
};
const iconSizes = { tiny: 14, small: 16, medium: 20, large: 32 };

export interface ThumbnailAsset {
  kind: string;
  thumbnailUrl?: string | null | undefined;
  filename: string;
  altText?: string | null | undefined;
}

/** The thumbnail of an asset, or an icon of its kind if it has none. */
export function Thumbnail({
  asset: { kind, thumbnailUrl, filename, altText },
  size = "medium",
  className = "",
}: {
  asset: ThumbnailAsset;
  size?: keyof typeof sizeClasses;
  className?: string;
}) {
  const [failedUrl, setFailedUrl] = useState<string>();
  const Icon = kindIcons[kind] ?? FileText;
  const frameClasses = `relative flex-none overflow-hidden bg-hover ${sizeClasses[size]} ${className}`;
  if (thumbnailUrl == null || failedUrl === thumbnailUrl) {
    return (
      <span className={`grid place-items-center text-muted ${frameClasses}`} title={filename}>
        <Icon size={iconSizes[size]} strokeWidth={1.5} aria-hidden="true" />
      </span>
    );
  }
  return (
    <span className={`block ${frameClasses}`}>
      <img
        className="size-full object-cover"
        src={thumbnailUrl}
        alt={altText ?? ""}
        title={filename}
        loading="lazy"
        decoding="async"
        onError={() => setFailedUrl(thumbnailUrl)}
      />
      {kind === "video" && size !== "tiny" && (
        <span className="absolute right-0.5 bottom-0.5 grid size-5 place-items-center rounded-full bg-black/60 text-white">
          <Play size={10} fill="currentColor" aria-hidden="true" />
        </span>
      )}
    </span>
  );
}
