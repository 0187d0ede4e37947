export const frameClasses =
  "group/tile relative aspect-square w-full overflow-hidden rounded-md border border-rule bg-raised select-none [-webkit-touch-callout:none]";

export const captionClasses = "m-0 mt-1.5 truncate text-sm";

/** Readable on every image. */
export const overlayButtonClasses =
  "size-7! bg-raised/90! text-ink! shadow-sm hover:bg-raised! pointer-coarse:size-11!";

/** With a mouse, shown where the pointer or the focus is. */
export const revealClasses =
  "pointer-fine:opacity-0 group-focus-within/tile:opacity-100 group-hover/tile:opacity-100 data-[state=open]:opacity-100";
