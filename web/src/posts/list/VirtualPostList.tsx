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

/** The height of rows in rem before one is measured: with larger text, rows are higher. */
const estimatedRem: Record<Density, number> = { comfortable: 4.75, compact: 2.75 };

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
  // With a new function, the virtualizer would compute the positions of all rows again in every frame.
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

/** All rows have the same height, so only the first one is measured: measuring each would delay the frame. */
function useRowHeight(density: Density, layout: RowLayout) {
  const kind = `${density} ${layout}`;
  const [measured, setMeasured] = useState<{ kind: string; height: number }>();
  const estimate = estimatedRem[density] * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const measureRow = useCallback(
    (row: HTMLElement | null) => {
      if (!row) return undefined;
      const observer = new ResizeObserver(([entry]) => {
        const height = entry?.borderBoxSize[0]?.blockSize ?? 0;
        // A row that was removed has no height.
        if (height > 0)
          setMeasured((current) => (current?.kind === kind && current.height === height ? current : { kind, height }));
      });
      observer.observe(row);
      return () => observer.disconnect();
    },
    [kind],
  );
  return { rowHeight: measured?.kind === kind ? measured.height : estimate, measureRow };
}
