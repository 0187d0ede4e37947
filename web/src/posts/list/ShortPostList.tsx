import { startTransition, useEffect, useState } from "react";
import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { PostListRow } from "./PostListRow.tsx";
import type { Density } from "./use-density.ts";
import type { RowLayout } from "./use-row-layout.ts";
import type { Selection } from "../../bulk/use-selection.ts";

/** Enough to fill most windows. */
const firstRowCount = 12;
const rowsPerStep = 2;

/** Reserves the height of the rows that follow, so that the browser can restore the scroll position. */
const rowHeightsRem: Record<Density, number> = { comfortable: 4.75, compact: 2.75 };

/**
 * Renders every row, so that most studios never load the virtual list. In the first list of a visit, the rows below the
 * window are added in short steps, so that the visible ones respond sooner.
 */
export function ShortPostList({
  posts,
  density,
  layout,
  selection,
}: {
  posts: readonly PostSummary[];
  density: Density;
  layout: RowLayout;
  /** Undefined for users who may not change posts. */
  selection: Selection | undefined;
}) {
  const { studio } = useStudio();
  const count = useRowCount(posts.length);
  return (
    <ul
      aria-label="Posts"
      className="border-t border-rule"
      style={count < posts.length ? { minHeight: `${posts.length * rowHeightsRem[density]}rem` } : undefined}
    >
      {posts.slice(0, count).map((post) => (
        <li key={post.id} className="scroll-my-20">
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
      ))}
    </ul>
  );
}

/** Later lists render faster, because the browser has compiled their code. */
let hasShownList = false;

/** The number of rows to render. */
function useRowCount(total: number): number {
  const [count, setCount] = useState(hasShownList ? Infinity : firstRowCount);
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
