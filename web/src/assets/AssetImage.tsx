import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { getTypeLabel } from "./labels.ts";

const frameClasses =
  "mb-1.5 aspect-square w-full rounded-sm bg-raised group-hover:outline-2 group-hover:outline-accent";

/** The thumbnail of a file, cropped to a square, or its type if there is none. */
export function AssetImage({
  asset,
}: {
  asset: Pick<Asset, "mimeType" | "filename"> & Partial<Pick<Asset, "thumbnailUrl" | "altText">>;
}) {
  const [failedUrl, setFailedUrl] = useState<string>();
  if (asset.thumbnailUrl === undefined || failedUrl === asset.thumbnailUrl) {
    return (
      <span className={`grid place-items-center border border-rule text-sm font-medium text-muted ${frameClasses}`}>
        {getTypeLabel(asset)}
      </span>
    );
  }
  return (
    <img
      className={`block object-cover ${frameClasses}`}
      src={asset.thumbnailUrl}
      alt={asset.altText ?? ""}
      loading="lazy"
      decoding="async"
      onError={() => setFailedUrl(asset.thumbnailUrl)}
    />
  );
}
