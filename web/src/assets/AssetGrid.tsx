import type { ComponentProps, ReactNode } from "react";

/** Files with thumbnails, in two or more columns. */
export function AssetGrid(props: ComponentProps<"ul">) {
  return (
    <ul
      {...props}
      className="grid grid-cols-[repeat(auto-fill,minmax(min(9.5rem,calc(50%-0.625rem)),1fr))] gap-x-5 gap-y-7"
    />
  );
}

export function AssetGridItem({ children }: { children: ReactNode }) {
  return <li className="flex min-w-0 flex-col">{children}</li>;
}

export const assetTileClasses = "group grid w-full min-w-0 cursor-pointer gap-0.5 text-left";
