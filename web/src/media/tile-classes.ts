export const frameClasses =
  "group/tile relative aspect-square w-full overflow-hidden rounded-md border border-rule bg-raised select-none [-webkit-touch-callout:none]";

export const captionClasses = "m-0 mt-1.5 truncate text-sm";

/**
 * Readable on every image. On touch screens, the target is larger than its shape, which would hide too much of the
 * image.
 */
export const overlayButtonClasses =
  "size-7! text-ink! pointer-fine:bg-raised/90! pointer-fine:shadow-sm pointer-fine:hover:bg-raised! pointer-coarse:size-11! pointer-coarse:bg-transparent! pointer-coarse:before:size-7 pointer-coarse:before:rounded-full pointer-coarse:before:bg-raised/80 before:[grid-area:1/1] [&>svg]:[grid-area:1/1]";

/** With a mouse, shown where the pointer or the focus is. */
export const revealClasses =
  "pointer-fine:opacity-0 group-focus-within/tile:opacity-100 group-hover/tile:opacity-100 data-[state=open]:opacity-100";
