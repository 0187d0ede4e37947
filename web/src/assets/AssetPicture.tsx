import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { typeWord } from "./words.ts";

/** A small picture of a file, or a word for what it is. */
export function AssetPicture({ asset }: { asset: Asset }) {
  const [failed, setFailed] = useState<string>();
  if (asset.thumbnailUrl === undefined || failed === asset.thumbnailUrl) {
    return <span className="picture word">{typeWord(asset)}</span>;
  }
  return (
    <img
      className="picture"
      src={asset.thumbnailUrl}
      alt={asset.altText ?? ""}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(asset.thumbnailUrl)}
    />
  );
}
