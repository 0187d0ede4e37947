import { FileText, ImageIcon, Video, type LucideIcon } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { Asset } from "../api/queries.ts";
import { getTypeLabel } from "../assets/labels.ts";

const kindIcons: Record<Asset["kind"], LucideIcon> = { image: ImageIcon, video: Video, document: FileText };

/** Fills its frame with the image, the first frame of the video, or an icon with the type of the file. */
export function MediaThumbnail({ asset }: { asset: Asset }) {
  const { kind, thumbnailUrl, altText, url } = asset;
  const [failedUrl, setFailedUrl] = useState<string>();
  if (thumbnailUrl !== undefined && failedUrl !== thumbnailUrl)
    return (
      <img
        className="size-full object-cover"
        src={thumbnailUrl}
        alt={altText ?? ""}
        loading="lazy"
        decoding="async"
        draggable={false}
        onError={() => setFailedUrl(thumbnailUrl)}
      />
    );
  const placeholder = <Placeholder asset={asset} />;
  return kind === "video" && url !== undefined ? <VideoFrame url={url} placeholder={placeholder} /> : placeholder;
}

function Placeholder({ asset }: { asset: Asset }) {
  const Icon = kindIcons[asset.kind];
  return (
    <span className="grid size-full place-content-center justify-items-center gap-1 text-muted">
      <Icon aria-hidden="true" className="size-7" strokeWidth={1.5} />
      <span className="text-xs font-semibold tracking-wide">{getTypeLabel(asset)}</span>
    </span>
  );
}

/** Shows the first frame, because the server makes no thumbnails of videos. Loads the video when it comes into view. */
function VideoFrame({ url, placeholder }: { url: string; placeholder: ReactNode }) {
  const frame = useRef<HTMLSpanElement>(null);
  // Signed URLs change from time to time; a new one must not load the video again.
  const [firstUrl] = useState(url);
  const [isInView, setIsInView] = useState(false);
  const [isLoaded, setIsLoaded] = useState(false);

  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && setIsInView(true), {
      rootMargin: "200px",
    });
    if (frame.current) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);

  return (
    <span ref={frame} className="relative block size-full">
      {!isLoaded && placeholder}
      {isInView && (
        <video
          className={`pointer-events-none absolute inset-0 size-full object-cover ${isLoaded ? "" : "opacity-0"}`}
          src={`${firstUrl}#t=0.1`}
          preload="metadata"
          muted
          playsInline
          tabIndex={-1}
          aria-hidden="true"
          onLoadedData={() => setIsLoaded(true)}
        />
      )}
    </span>
  );
}
