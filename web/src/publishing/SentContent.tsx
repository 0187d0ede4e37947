import type { Asset } from "../api/queries.ts";
import { SentFiles, type SentAsset } from "./SentFiles.tsx";

/** The title, text and files that an account receives. */
export function SentContent({
  title = null,
  text,
  extras = "",
  assets,
  currentAssets = [],
  getRenditionUrl,
  isCompact = false,
}: {
  /** For platforms whose posts have a title. */
  title?: string | null;
  text: string;
  /** The options and follow-ups (`formatExtras`). */
  extras?: string | undefined;
  assets: readonly SentAsset[];
  /** The post's current files. Their thumbnails are shown for the same files in an earlier revision. */
  currentAssets?: readonly Asset[];
  /** The URL of an image as the account will receive it. If absent, the originals are shown. */
  getRenditionUrl?: (assetId: string) => string;
  /** Whether images are thumbnails that a click enlarges. */
  isCompact?: boolean;
}) {
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
      {extras !== "" && (
        <p className="mt-3 mb-0 text-sm whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">{extras}</p>
      )}
      {assets.length > 0 && (
        <SentFiles
          assets={assets}
          currentAssets={currentAssets}
          getRenditionUrl={getRenditionUrl}
          isCompact={isCompact}
        />
      )}
    </div>
  );
}
