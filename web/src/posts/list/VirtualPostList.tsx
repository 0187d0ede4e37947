import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ListQuery } from "../../api/use-paged-list.ts";
import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { Button } from "../../ui/Button.tsx";
import { PostListRow } from "./PostListRow.tsx";
import type { Density } from "./use-density.ts";
import type { RowLayout } from "./use-row-layout.ts";
import type { Selection } from "../../bulk/use-selection.ts";

/** Used until a row is measured. In rem, because rows are taller with larger text. */
const estimatedHeightsRem: Record<Density, number> = { comfortable: 4.75, compact: 2.75 };

/** How many rows before the end the next page is requested. */
const loadAheadRows = 30;

/** Renders only the rows near the window, however many posts are loaded. */
export function VirtualPostList({
  list: { query, items },
  density,
  layout,
  selection,
}: {
  list: ListQuery<PostSummary>;
  density: Density;
  layout: RowLayout;
  /** Undefined for users who may not change posts. */
  selection: Selection | undefined;
}) {
  const { studio } = useStudio();
  const container = useRef<HTMLUListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const { rowHeight, measureRow } = useRowHeight(density, layout);
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
    const element = container.current;
    if (element) setScrollMargin(element.getBoundingClientRect().top + window.scrollY);
  }, [items.length]);

  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);

  const rows = virtualizer.getVirtualItems();
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= items.length - loadAheadRows;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetching, isError, fetchNextPage]);

  return (
    <>
      <ul
        ref={container}
        aria-label="Posts"
        className="relative border-t border-rule"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {rows.map(({ index, key, start }, i) => {
          const post = items[index];
          return (
            post && (
              <li
                key={key}
                ref={i === 0 ? measureRow : undefined}
                aria-setsize={hasNextPage ? -1 : items.length}
                aria-posinset={index + 1}
                className="absolute top-0 left-0 w-full scroll-my-20"
                style={{ transform: `translateY(${start - scrollMargin}px)` }}
              >
                <PostListRow
                  post={post}
                  studioId={studio.id}
                  timezone={studio.timezone}
                  density={density}
                  layout={layout}
                  isSelected={selection?.ids.has(post.id) ?? false}
                  onSelect={selection?.toggle}
                />
              </li>
            )
          );
        })}
      </ul>
      {hasNextPage && (
        <p className="mt-4 text-center">
          <Button
            variant="quiet"
            onClick={() => void fetchNextPage()}
            busyLabel={query.isFetchingNextPage && "Loading…"}
          >
            Load more
          </Button>
        </p>
      )}
    </>
  );
}

/** All rows have the same height, so only the first is measured. Measuring each would delay the frame. */
function useRowHeight(density: Density, layout: RowLayout) {
  const kind = `${density} ${layout}`;
  const [measurement, setMeasurement] = useState<{ kind: string; height: number }>();
  const estimate = estimatedHeightsRem[density] * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const measureRow = useCallback(
    (row: HTMLElement | null) => {
      if (!row) return undefined;
      const observer = new ResizeObserver(([entry]) => {
        const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
        // A row that was removed has no height.
        if (height > 0)
          setMeasurement((current) =>
            current?.kind === kind && current.height === height ? current : { kind, height },
          );
      });
      observer.observe(row);
      return () => observer.disconnect();
    },
    [kind],
  );
  return { rowHeight: measurement?.kind === kind ? measurement.height : estimate, measureRow };
}
