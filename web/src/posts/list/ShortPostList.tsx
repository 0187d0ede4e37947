import type { PostSummary } from "../../api/summary-queries.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { PostListRow } from "./PostListRow.tsx";
import type { Density } from "./use-density.ts";
import type { RowLayout } from "./use-row-layout.ts";
import type { Selection } from "../../bulk/use-selection.ts";

/** Renders every row. Most studios need no more, and don't load the virtual list. */
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
  return (
    <ul aria-label="Posts" className="border-t border-rule">
      {posts.map((post) => (
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
