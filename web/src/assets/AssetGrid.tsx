import type { ComponentProps, ReactNode } from "react";
import type { Asset } from "../api/queries.ts";
import { AssetImage } from "./AssetImage.tsx";
import { formatMediaMetadata } from "./labels.ts";

/** Files with thumbnails, in two or more columns. An ordered list if the order matters. */
export function AssetGrid({ isOrdered = false, ...rest }: ComponentProps<"ul"> & { isOrdered?: boolean }) {
  const List = (isOrdered ? "ol" : "ul") as "ul";
  return (
    <List
      {...rest}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(9.5rem,calc(50%-0.625rem)),1fr))] gap-x-5 gap-y-7"
    />
  );
}

export function AssetGridItem({ children }: { children: ReactNode }) {
  return <li className="flex min-w-0 flex-col">{children}</li>;
}

export const assetTileClasses = "group grid w-full min-w-0 cursor-pointer gap-0.5 text-left";

/** A file in a grid; choosing it opens its details. */
export function AssetTile({ asset, onOpen, children }: { asset: Asset; onOpen: () => void; children?: ReactNode }) {
  return (
    <button type="button" className={assetTileClasses} onClick={onOpen}>
      <AssetImage asset={asset} />
      <span className="truncate">{asset.filename}</span>
      <span className="text-sm text-muted">{formatMediaMetadata(asset)}</span>
      {children}
    </button>
  );
}
