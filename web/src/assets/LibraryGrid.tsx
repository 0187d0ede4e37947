import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";
import { useMediaQuery } from "../ui/use-media-query.ts";
import { computeGridLayout, computeRowHeights, type GridLayout, type LibraryView } from "./grid-layout.ts";

export interface LibraryGridHandle {
  focusItem: (index: number) => void;
}

/** Marks the element of each tile that the arrow keys focus. The attribute's value is the index of the tile. */
const tileAttribute = "data-tile";

/** A list that scrolls with the window. It renders only the files in view, to stay fast with thousands of files. */
export function LibraryGrid({
  ref,
  label,
  view,
  count,
  hasMore,
  onLoadMore,
  needsTagLine,
  getKey,
  renderItem,
}: {
  ref: Ref<LibraryGridHandle>;
  label: string;
  view: LibraryView;
  count: number;
  hasMore: boolean;
  onLoadMore: () => void;
  needsTagLine: (index: number) => boolean;
  getKey: (index: number) => string;
  renderItem: (index: number, layout: GridLayout) => ReactNode;
}) {
  const list = useRef<HTMLUListElement>(null);
  const { width, top, rem } = useListBox(list);
  const isTouch = useMediaQuery("(pointer: coarse)");
  const hasTagColumn = useMediaQuery("(width >= 80rem)");
  const layout = useMemo(
    () => computeGridLayout(view, { width, rem, isTouch, hasTagColumn }),
    [view, width, rem, isTouch, hasTagColumn],
  );
  const { columnCount, columnStep, tileWidth } = layout;
  const rowHeights = computeRowHeights(layout, count, needsTagLine);
  const rowCount = rowHeights.length;
  const getRow = (index: number) => Math.floor(index / columnCount);
  const virtualizer = useWindowVirtualizer({
    count: rowCount,
    estimateSize: (row) => rowHeights[row] ?? layout.rowStep,
    overscan: view === "list" ? 12 : 3,
    scrollMargin: top,
  });
  const rowHeightsKey = rowHeights.join();
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeightsKey]);

  const rows = virtualizer.getVirtualItems();
  const lastRow = rows.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && lastRow >= rowCount - 4;
  useEffect(() => {
    if (isNearEnd) onLoadMore();
  });

  const findTile = (index: number) => list.current?.querySelector<HTMLElement>(`[${tileAttribute}="${index}"]`);

  /** If the tile is too far away to be rendered, scrolls to it first. */
  function focusItem(index: number, attemptsLeft = 10): void {
    const tile = findTile(index);
    if (tile) {
      tile.scrollIntoView({ block: "nearest" });
      tile.focus({ preventScroll: true });
      return;
    }
    virtualizer.scrollToIndex(getRow(index), { align: "center" });
    if (attemptsLeft > 0) requestAnimationFrame(() => focusItem(index, attemptsLeft - 1));
  }
  useImperativeHandle(ref, () => ({ focusItem }));

  function moveFocus(event: KeyboardEvent): void {
    if (!(event.target instanceof HTMLElement) || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = Number(event.target.getAttribute(tileAttribute) ?? NaN);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columnCount, ArrowDown: columnCount }[event.key];
    const targetIndex = { Home: 0, End: count - 1 }[event.key] ?? index + (step ?? NaN);
    if (Number.isNaN(index) || Number.isNaN(targetIndex)) return;
    event.preventDefault();
    if (targetIndex >= 0 && targetIndex < count) focusItem(targetIndex);
  }

  /** Caches elements: React skips one that is the same object as before, so scrolling renders only new files. */
  const renderCached = useMemo(() => {
    const cache = new Map<number, ReactNode>();
    return (index: number): ReactNode => {
      const item = cache.get(index) ?? renderItem(index, layout);
      cache.set(index, item);
      return item;
    };
  }, [renderItem, layout]);

  const items = rows.flatMap((row) =>
    Array.from({ length: columnCount }, (_, column) => ({
      row,
      column,
      index: row.index * columnCount + column,
    })).filter(({ index }) => index < count),
  );
  return (
    <ul
      ref={list}
      aria-label={label}
      className="relative"
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={moveFocus}
    >
      {items.map(({ row, column, index }) => (
        <li
          key={getKey(index)}
          className="absolute top-0 left-0"
          aria-setsize={hasMore ? -1 : count}
          aria-posinset={index + 1}
          style={{
            width: tileWidth,
            height: row.size,
            transform: `translate(${column * columnStep}px, ${row.start - top}px)`,
          }}
        >
          {renderCached(index)}
        </li>
      ))}
    </ul>
  );
}

/** The width of the list, its distance from the top of the document, and the size of one rem, in pixels. */
function useListBox(list: { readonly current: HTMLElement | null }): { width: number; top: number; rem: number } {
  const [box, setBox] = useState({ width: 0, top: 0, rem: 16 });
  useLayoutEffect(() => {
    function measure(): void {
      if (!list.current) return;
      const { width, top } = list.current.getBoundingClientRect();
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      const nextBox = { width, top: Math.round(top + window.scrollY), rem };
      setBox((current) =>
        current.width === nextBox.width && current.top === nextBox.top && current.rem === rem ? current : nextBox,
      );
    }
    measure();
    // Content above the list can change its height and move the list, so the page is observed too.
    const observer = new ResizeObserver(measure);
    if (list.current) observer.observe(list.current);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return box;
}
