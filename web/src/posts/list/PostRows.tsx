import { lazy, startTransition, Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import type { ListQuery } from "../../api/use-paged-list.ts";
import type { Selection } from "../../bulk/use-selection.ts";
import { useStudio } from "../../layout/use-studio.ts";
import type { PostSearch } from "../../search-params.ts";
import type { Columns } from "./columns.ts";
import { PostListRow } from "./PostListRow.tsx";
import type { RowWindow } from "./RowVirtualizer.tsx";
import type { Density } from "./use-density.ts";
import type { RowLayout } from "./use-row-layout.ts";

const RowVirtualizer = lazy(async () => ({ default: (await import("./RowVirtualizer.tsx")).RowVirtualizer }));

/** As many as one page of the API has. Longer lists are virtual. */
const maxStaticRows = 50;
/** Enough to fill most windows. */
const maxFirstRows = 12;
const rowsPerStep = 1;
/** At least this much of the window is above the list: the header and the filters. */
const spaceAboveRem = 10;

/** In rem, because rows are taller with larger text. */
const rowHeightsRem: Record<Density, number> = { comfortable: 4.75, compact: 2.75 };

/**
 * The posts as rows. A long list renders only the rows near the window, once the code for that is loaded. Until then, it
 * shows its first rows. Both use the same elements, so that the user's clicks, focus and open menu survive the change.
 */
export function PostRows({
  list,
  density,
  layout,
  columns,
  search,
  selection,
}: {
  list: ListQuery<PostSummary>;
  density: Density;
  layout: RowLayout;
  columns: Columns;
  /** What the list is searched for and filtered by. */
  search: PostSearch;
  /** Undefined for users who may not change posts. */
  selection: Selection | undefined;
}) {
  const { studio } = useStudio();
  const { items, query } = list;
  const element = useRef<HTMLUListElement>(null);
  const isLong = items.length > maxStaticRows || query.hasNextPage;
  const [reportedWindow, setReportedWindow] = useState<RowWindow>();
  const rowWindow = isLong ? reportedWindow : undefined;
  const staticCount = useStaticCount(rowWindow ? 0 : Math.min(items.length, maxStaticRows), isLong, density);
  const { first, end } = rowWindow ?? { first: 0, end: Math.min(staticCount, maxStaticRows) };
  const { measuredHeight, measureRow } = useMeasuredHeight(density, layout);
  return (
    <>
      <ul
        ref={element}
        aria-label="Posts"
        className="relative border-t border-rule max-sm:-mx-1"
        // Reserves the height of the rows that follow, so that the browser can restore the scroll position.
        style={
          rowWindow
            ? { height: items.length * rowWindow.rowHeight }
            : { minHeight: `${end < items.length ? items.length * rowHeightsRem[density] : 0}rem` }
        }
      >
        {items.slice(first, end).map((post, i) => (
          <li
            key={post.id}
            ref={rowWindow && i === 0 ? measureRow : undefined}
            aria-setsize={query.hasNextPage ? -1 : items.length}
            aria-posinset={first + i + 1}
            className={`scroll-my-20 ${rowWindow ? "absolute top-0 left-0 w-full" : ""}`}
            style={rowWindow && { transform: `translateY(${(first + i) * rowWindow.rowHeight}px)` }}
          >
            <PostListRow
              post={post}
              studioId={studio.id}
              timezone={studio.timezone}
              density={density}
              layout={layout}
              columns={columns}
              search={search}
              isSelected={selection?.ids.has(post.id) ?? false}
              onSelect={selection?.toggle}
            />
          </li>
        ))}
      </ul>
      {isLong && (
        <Suspense>
          <RowVirtualizer
            element={element}
            list={list}
            rowHeight={measuredHeight ?? rowHeightsRem[density] * getRem()}
            onChange={setReportedWindow}
          />
        </Suspense>
      )}
    </>
  );
}

const getRem = (): number => parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The number of rows to render first, so that the page is interactive soon: those in the window. */
function countFirstRows(density: Density): number {
  const visibleRows = Math.ceil((innerHeight / getRem() - spaceAboveRem) / rowHeightsRem[density]);
  return Math.max(1, Math.min(visibleRows, maxFirstRows));
}

/** Later lists render faster, because the browser has compiled their code. */
let hasShownList = false;

/**
 * The number of rows to render if the list is not virtual. In the first list of a visit, the rows below the window are
 * added in short steps, so that the visible ones respond sooner. A long list always starts with
 * few rows, because it will be virtual soon.
 */
function useStaticCount(total: number, isLong: boolean, density: Density): number {
  const [count, setCount] = useState(() => (hasShownList && !isLong ? Infinity : countFirstRows(density)));
  useEffect(() => {
    if (count === Infinity) return undefined;
    const timer = setTimeout(() => {
      hasShownList ||= count >= total;
      startTransition(() => setCount(count >= total ? Infinity : count + rowsPerStep));
    });
    return () => clearTimeout(timer);
  }, [count, total]);
  return count;
}

/** All rows have the same height, so only the first is measured. Measuring each would delay the frame. */
function useMeasuredHeight(density: Density, layout: RowLayout) {
  const kind = `${density} ${layout}`;
  const [measurement, setMeasurement] = useState<{ kind: string; height: number }>();
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
  return { measuredHeight: measurement?.kind === kind ? measurement.height : undefined, measureRow };
}
