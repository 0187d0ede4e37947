import { useState } from "react";
import type { Asset } from "../api/queries.ts";

/** Plays a video. Never changes the video's URL, so the asset's id must be the component's `key`. */
export function VideoPlayer({
  asset: { url, thumbnailUrl, altText, filename },
  className,
  autoPlay = false,
  onError,
}: {
  asset: Asset;
  className: string;
  autoPlay?: boolean;
  onError: () => void;
}) {
  // Signed URLs change from time to time; a new one must not restart the video.
  // Without a poster, the time makes the browser show a frame instead of black.
  const [src] = useState(url !== undefined && thumbnailUrl === undefined && !autoPlay ? `${url}#t=0.1` : url);
  return (
    <video
      className={className}
      src={src}
      poster={thumbnailUrl}
      aria-label={altText ?? filename}
      controls
      autoPlay={autoPlay}
      playsInline
      preload="metadata"
      onError={onError}
    />
  );
}
