import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { kindIcons } from "./labels.ts";

/** The whole thumbnail, not cropped, so that users can tell portrait from landscape; an icon if there is none. */
export function TileImage({ asset, isSmall = false }: { asset: Asset; isSmall?: boolean }) {
  const [failedUrl, setFailedUrl] = useState<string>();
  const [hasLoaded, setHasLoaded] = useState(false);
  const Icon = kindIcons[asset.kind];
  const hasFailed = asset.thumbnailUrl !== undefined && asset.thumbnailUrl === failedUrl;
  const hasImage = asset.thumbnailUrl !== undefined && !hasFailed;
  return (
    <>
      {!(hasImage && hasLoaded) && (
        <Icon
          size={isSmall ? 16 : 32}
          strokeWidth={1.5}
          className={`absolute text-muted ${hasImage ? "opacity-40" : ""}`}
          aria-hidden="true"
        />
      )}
      {hasFailed && asset.kind === "image" && (
        <span
          className={
            isSmall ? "sr-only" : "absolute bottom-1 left-1 rounded-sm bg-raised/90 px-1.5 text-xs text-danger"
          }
        >
          Can’t be opened
        </span>
      )}
      {hasImage && (
        <img
          className={`relative size-full min-h-0 ${isSmall ? "object-cover" : "object-contain"}`}
          src={asset.thumbnailUrl}
          alt={asset.altText ?? ""}
          loading="lazy"
          decoding="async"
          draggable={false}
          onLoad={() => setHasLoaded(true)}
          onError={() => setFailedUrl(asset.thumbnailUrl)}
        />
      )}
    </>
  );
}
