import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useState, type RefObject } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import type { ListQuery } from "../../api/use-paged-list.ts";
import { Button } from "../../ui/Button.tsx";

/** The rows of a list that are near the window. */
export interface RowWindow {
  /** The index of the first row. */
  first: number;
  /** The index after the last row. */
  end: number;
  /** In pixels; the same for all rows. */
  rowHeight: number;
}

/** How many rows before the end the next page is requested. */
const loadAheadRows = 30;

/**
 * Reports which rows of a long list are near the window, and loads the next page. It renders no rows itself: those of
 * the list would lose clicks and the focus if another component took over.
 */
export function RowVirtualizer({
  element,
  list: { query, items },
  rowHeight,
  onChange,
}: {
  /** The element that contains the rows. */
  element: RefObject<HTMLElement | null>;
  list: ListQuery<PostSummary>;
  rowHeight: number;
  /** Called before the browser paints. */
  onChange: (rowWindow: RowWindow) => void;
}) {
  const [scrollMargin, setScrollMargin] = useState(0);
  // If this function changed in every render, the virtualizer would recompute the positions of all rows in every frame.
  const getItemKey = useCallback((index: number) => items[index]?.id ?? index, [items]);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    getItemKey,
    overscan: 8,
    scrollMargin,
  });

  // The list starts below the header, whose height depends on the width and the filters.
  useLayoutEffect(() => {
    if (element.current) setScrollMargin(element.current.getBoundingClientRect().top + window.scrollY);
  }, [element, items.length]);

  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);

  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const end = (rows.at(-1)?.index ?? -1) + 1;
  useLayoutEffect(() => {
    // The virtualizer has no rows until it knows the size of the window.
    if (end > 0) onChange({ first, end, rowHeight });
  }, [first, end, rowHeight, onChange]);

  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isNearEnd = end > items.length - loadAheadRows;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, isError, fetchNextPage]);

  return (
    hasNextPage && (
      <p className="mt-4 text-center">
        <Button variant="quiet" onClick={() => void fetchNextPage()} busyLabel={query.isFetchingNextPage && "Loading…"}>
          Load more
        </Button>
      </p>
    )
  );
}
