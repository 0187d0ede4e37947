import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { AssetImage } from "../assets/AssetImage.tsx";
import { Filename } from "../assets/Filename.tsx";
import { RenditionImage } from "../preview/RenditionImage.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";

export interface SentAsset {
  id: string;
  mimeType: string;
  filename: string;
  altText?: string | undefined;
}

interface SentFilesProps {
  assets: readonly SentAsset[];
  /** The post's current files. Their thumbnails are shown for the same files in an earlier revision. */
  currentAssets: readonly Asset[];
  /** The URL of an image as the account will receive it. If absent, the originals are shown. */
  getRenditionUrl?: ((assetId: string) => string) | undefined;
  /** Whether images are thumbnails that a click enlarges. */
  isCompact: boolean;
}

/** The same background as that of other thumbnails. */
const frameClasses = "border border-rule bg-hover";
/** As wide as the image. While it loads, there is room for a message. */
const fittingClasses = "w-fit min-w-40";

/** The files that an account receives, with their alt texts. */
export function SentFiles({ assets, currentAssets, getRenditionUrl, isCompact }: SentFilesProps) {
  const [enlargedAsset, setEnlargedAsset] = useState<SentAsset>();
  const findRenditionUrl = ({ id, mimeType }: SentAsset): string | undefined =>
    mimeType.startsWith("image/") ? getRenditionUrl?.(id) : undefined;
  const enlargedUrl = enlargedAsset && findRenditionUrl(enlargedAsset);
  return (
    <>
      <ol className={`mt-4 grid items-start gap-3 ${getColumns(isCompact, assets.length)}`} aria-label="Files">
        {assets.map((asset) => {
          const url = findRenditionUrl(asset);
          return (
            <li
              key={asset.id}
              className={`grid min-w-0 items-start ${isCompact ? "gap-1.5" : "gap-3"} ${url === undefined && !isCompact ? "grid-cols-[4rem_minmax(0,1fr)]" : ""}`}
            >
              {url === undefined ? (
                <AssetImage asset={currentAssets.find(({ id }) => id === asset.id) ?? asset} />
              ) : (
                <div className={`relative ${frameClasses} ${isCompact ? "aspect-4/3" : fittingClasses}`}>
                  <RenditionImage url={url} altText={asset.altText ?? ""} fit={isCompact ? "contain" : undefined} />
                  {isCompact && (
                    <button
                      type="button"
                      className="absolute inset-0 cursor-zoom-in hover:outline-2 hover:outline-accent"
                      aria-label={`Enlarge ${asset.filename}`}
                      onClick={() => setEnlargedAsset(asset)}
                    />
                  )}
                </div>
              )}
              <div className="min-w-0 text-sm [overflow-wrap:anywhere]">
                {isCompact ? <Filename name={asset.filename} /> : <p className="m-0">{asset.filename}</p>}
                <AltText asset={asset} warnsIfMissing={url !== undefined} className={isCompact ? "line-clamp-3" : ""} />
              </div>
            </li>
          );
        })}
      </ol>
      {enlargedAsset && enlargedUrl !== undefined && (
        <Dialog
          title={enlargedAsset.filename}
          size="large"
          closesOnBackdropClick
          onClose={() => setEnlargedAsset(undefined)}
        >
          <div className={`mx-auto mt-4 ${frameClasses} ${fittingClasses}`}>
            <RenditionImage url={enlargedUrl} altText={enlargedAsset.altText ?? ""} />
          </div>
          <AltText asset={enlargedAsset} warnsIfMissing className="mt-2 [overflow-wrap:anywhere]" />
          <DialogActions>
            <Button variant="secondary" onClick={() => setEnlargedAsset(undefined)}>
              Close
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}

/** One or two thumbnails are larger than many. */
function getColumns(isCompact: boolean, count: number): string {
  if (!isCompact) return "grid-cols-1 sm:grid-cols-2";
  return count > 2
    ? "grid-cols-[repeat(auto-fill,minmax(min(9.5rem,calc(50%-0.375rem)),1fr))]"
    : "grid-cols-[repeat(auto-fill,minmax(min(14rem,calc(50%-0.375rem)),1fr))]";
}

function AltText({
  asset: { altText },
  warnsIfMissing,
  className,
}: {
  asset: SentAsset;
  warnsIfMissing: boolean;
  className: string;
}) {
  if (altText === undefined)
    return <p className={`m-0 ${warnsIfMissing ? "text-warning" : "text-muted"} ${className}`}>No alt text</p>;
  return <p className={`m-0 text-muted ${className}`}>Alt text: {altText}</p>;
}
