export type LibraryView = "grid" | "list";

export interface GridLayout {
  columnCount: number;
  tileWidth: number;
  /** The height of a tile's thumbnail. */
  frameHeight: number;
  /** The width of a column with the gap beside it. */
  columnStep: number;
  /** The height of a row with the gap below it, without tags. */
  rowStep: number;
  /** What tags add to the height of a row. */
  tagsHeight: number;
}

/** Sizes in rem. The text of a tile has one line each for the name and the metadata. */
const sizes = {
  gap: 1,
  minTile: 10.5,
  minTouchTile: 9,
  tileText: 2.875,
  tags: 1.875,
  listRow: 3.25,
  touchListRow: 3.75,
};

/** The heights follow from the files alone, so that the list's height is known without rendering every file. */
export function computeGridLayout(
  view: LibraryView,
  { width, rem, isTouch, hasTagColumn }: { width: number; rem: number; isTouch: boolean; hasTagColumn: boolean },
): GridLayout {
  if (view === "list") {
    const rowStep = (isTouch ? sizes.touchListRow : sizes.listRow) * rem;
    const tagsHeight = hasTagColumn ? 0 : sizes.tags * rem;
    return { columnCount: 1, tileWidth: width, frameHeight: rowStep, columnStep: width, rowStep, tagsHeight };
  }
  const gap = sizes.gap * rem;
  const minTile = (isTouch ? sizes.minTouchTile : sizes.minTile) * rem;
  const columnCount = Math.max(2, Math.floor((width + gap) / (minTile + gap)));
  const tileWidth = (width - gap * (columnCount - 1)) / columnCount;
  const frameHeight = tileWidth * 0.75;
  return {
    columnCount,
    tileWidth,
    frameHeight,
    columnStep: tileWidth + gap,
    rowStep: frameHeight + sizes.tileText * rem + gap,
    tagsHeight: sizes.tags * rem,
  };
}

/** The height of each row. A row is higher if any of its items needs the line of tags. */
export function computeRowHeights(
  { columnCount, rowStep, tagsHeight }: GridLayout,
  count: number,
  needsTagLine: (index: number) => boolean,
): number[] {
  const heights = Array.from({ length: Math.ceil(count / columnCount) }, () => rowStep);
  for (let index = 0; index < count; index++)
    if (needsTagLine(index)) heights[Math.floor(index / columnCount)] = rowStep + tagsHeight;
  return heights;
}
