import type { Asset } from "../api/queries.ts";
import { AssetImage } from "../assets/AssetImage.tsx";
import { RenditionImage } from "../preview/RenditionImage.tsx";

interface SentAsset {
  id: string;
  mimeType: string;
  filename: string;
  altText?: string | undefined;
}

/** The title, text and files that an account receives. */
export function SentContent({
  title = null,
  text,
  assets,
  currentAssets = [],
  getRenditionUrl,
}: {
  /** For platforms whose posts have a title. */
  title?: string | null;
  text: string;
  assets: readonly SentAsset[];
  /** The post's current files. Their thumbnails are shown for the same files in an earlier revision. */
  currentAssets?: readonly Asset[];
  /** The URL of an image as the account will receive it. If absent, the originals are shown. */
  getRenditionUrl?: (assetId: string) => string;
}) {
  const hasRendition = ({ mimeType }: SentAsset): boolean =>
    getRenditionUrl !== undefined && mimeType.startsWith("image/");
  return (
    <div>
      {title !== null && <p className="m-0 mb-3 text-lg font-semibold [overflow-wrap:anywhere]">{title}</p>}
      {text === "" ? (
        <p className="m-0 text-muted">No text.</p>
      ) : (
        <p
          className="m-0 max-h-[28rem] overflow-auto border-l-2 border-rule pl-4 whitespace-pre-wrap [overflow-wrap:anywhere]"
          tabIndex={0}
          role="group"
          aria-label="Text"
        >
          {text}
        </p>
      )}
      {assets.length > 0 && (
        <ol className="mt-4 grid grid-cols-1 items-start gap-3 sm:grid-cols-2" aria-label="Files">
          {assets.map((asset) => (
            <li
              key={asset.id}
              className={`grid min-w-0 items-start gap-3 ${hasRendition(asset) ? "" : "grid-cols-[4rem_minmax(0,1fr)]"}`}
            >
              {getRenditionUrl && hasRendition(asset) ? (
                <div className="border border-rule bg-wash">
                  <RenditionImage url={getRenditionUrl(asset.id)} altText={asset.altText ?? ""} isCover={false} />
                </div>
              ) : (
                <AssetImage asset={currentAssets.find(({ id }) => id === asset.id) ?? asset} />
              )}
              <div className="min-w-0 text-sm [overflow-wrap:anywhere]">
                <p className="m-0">{asset.filename}</p>
                <p className="m-0 text-muted">
                  {asset.altText === undefined ? "No alt text" : `Alt text: ${asset.altText}`}
                </p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
