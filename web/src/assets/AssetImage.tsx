import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { getTypeLabel } from "./labels.ts";

/** The thumbnail of a file, or its type if there is none. */
export function AssetImage({ asset }: { asset: Asset }) {
  const [failedUrl, setFailedUrl] = useState<string>();
  if (asset.thumbnailUrl === undefined || failedUrl === asset.thumbnailUrl) {
    return <span className="picture word">{getTypeLabel(asset)}</span>;
  }
  return (
    <img
      className="picture"
      src={asset.thumbnailUrl}
      alt={asset.altText ?? ""}
      loading="lazy"
      decoding="async"
      onError={() => setFailedUrl(asset.thumbnailUrl)}
    />
  );
}
