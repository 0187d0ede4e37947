import { Download, ExternalLink } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Asset } from "../api/queries.ts";
import { ButtonAnchor } from "../ui/Button.tsx";
import { getTypeLabel, kindIcons } from "./labels.ts";
import { VideoPlayer } from "./VideoPlayer.tsx";

/** Larger images are shown as a thumbnail, because browsers take too long to load and decode them. */
const maxImageBytes = 20 * 1024 * 1024;

/** The file itself: an image, a video player, or a link to the document. */
export function AssetPreview({ asset }: { asset: Asset }) {
  const { kind, url, altText, bytes, thumbnailUrl } = asset;
  const [hasFailed, setHasFailed] = useState(false);
  if (url === undefined)
    return (
      <Frame>
        {
          <Placeholder
            asset={asset}
            text="This file has not arrived yet. If its upload was interrupted, choose the file again, or delete it here."
          />
        }
      </Frame>
    );

  const isVideo = kind === "video" && !hasFailed;
  const imageUrl = thumbnailUrl === undefined || (bytes ?? 0) > maxImageBytes ? thumbnailUrl : url;
  return (
    <div className="grid min-w-0 content-start gap-2">
      <Frame>
        {isVideo && <VideoPlayer asset={asset} className="max-h-[52vh] w-full" onError={() => setHasFailed(true)} />}
        {!isVideo && imageUrl !== undefined && !hasFailed && (
          <img
            className="max-h-[52vh] w-full object-contain"
            src={imageUrl}
            alt={altText ?? ""}
            onError={() => setHasFailed(true)}
          />
        )}
        {!isVideo && (imageUrl === undefined || hasFailed) && (
          <Placeholder asset={asset} text={describeMissingPreview(kind, thumbnailUrl !== undefined)} />
        )}
      </Frame>
      <ButtonAnchor
        className="justify-self-start"
        variant="secondary"
        size="small"
        icon={kind === "document" ? Download : ExternalLink}
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        hidden={isVideo}
      >
        {kind === "document" ? `Download ${getTypeLabel(asset)}` : "Open file"}
      </ButtonAnchor>
    </div>
  );
}

function describeMissingPreview(kind: Asset["kind"], hasThumbnail: boolean): string {
  if (kind === "document") return "";
  return kind === "image" && hasThumbnail
    ? "This image can’t be opened. It may be damaged: export it again and upload the new file."
    : `This browser can’t show this ${kind}. Download it instead.`;
}

function Frame({ children }: { children: ReactNode }) {
  return (
    <div className="grid min-h-52 min-w-0 place-items-center self-start overflow-hidden rounded-md bg-sunken">
      {children}
    </div>
  );
}

function Placeholder({ asset, text }: { asset: Asset; text: string }) {
  const Icon = kindIcons[asset.kind];
  return (
    <div className="grid justify-items-center gap-2 px-6 py-8 text-center text-muted">
      <Icon size={40} strokeWidth={1.25} aria-hidden="true" />
      <p className="m-0 font-medium">{getTypeLabel(asset)}</p>
      {text !== "" && <p className="m-0 text-sm">{text}</p>}
    </div>
  );
}
